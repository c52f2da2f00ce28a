// Losses: where a player loses against perfect play, on a board that can be solved. No game is played.

import { isAborted } from "../api.js";
import { Board } from "../board.js";
import { Chooser, fromParams, load, question, toParams } from "../chooser.js";
import { brief, element, exact } from "../dom.js";
import { listen } from "../events.js";

/** The name of this page at the server, which runs one computation of it at a time. */
const CLIENT = `losses-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
/** Positions with their boards; the server sends more than one looks at. */
const SHOWN = 12;

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const cell = (text) => element("td", { class: "number" }, text);
const head = (...names) => element("thead", {}, element("tr", {}, names.map((name, at) => element("th", { scope: "col", class: at > 0 ? "number" : null }, name))));

class Losses {
  constructor(known, params, link) {
    this.link = link;
    this.chosen = fromParams(known, params);
    this.chooser = new Chooser(known, this.chosen, () => this.#changed());
    this.turn = null;
    this.button = element("button", { type: "button", class: "main", onclick: () => this.#press() }, "Compute the losses");
    this.status = element("p", { class: "small", role: "status" });
    this.problem = element("p", { class: "notice bad hidden", role: "alert" });
    this.result = element("div", { class: "stack" });
    const about = "The exact result of the player, without games: how near it comes to perfect play, and which of its moves cost most. For 2048 on boards of up to nine cells, such as 2x3 or 3x3; 3x3 takes minutes.";
    this.element = element("div", { class: "play" },
      element("div", { class: "stack" }, element("section", { class: "card tight", "aria-label": "Game and player" },
        element("h1", {}, "Losses against perfect play"), element("p", { class: "quiet small" }, about),
        this.chooser.element, element("div", { class: "row" }, this.button), this.problem, this.status)),
      this.result);
    this.#link();
  }

  #link() {
    this.link(`#/losses?${new URLSearchParams(toParams(this.chosen))}`);
  }

  /** Results of another player would be wrong here. */
  #changed() {
    this.stop();
    this.status.textContent = "";
    this.problem.classList.add("hidden");
    this.result.replaceChildren();
    this.#link();
  }

  stop() {
    this.turn?.abort();
    this.turn = null;
    this.button.textContent = "Compute the losses";
  }

  async #press() {
    if (this.turn) {
      this.stop();
      this.status.textContent = "Stopped.";
      return;
    }
    const turn = new AbortController();
    this.turn = turn;
    this.button.textContent = "Stop";
    this.problem.classList.add("hidden");
    this.result.replaceChildren();
    this.status.textContent = "The computation begins …";
    let isComplete = false;
    const handlers = {
      progress: ({ text }) => { this.status.textContent = text; },
      losses: (found) => {
        isComplete = true;
        this.status.textContent = "";
        this.#show(found);
      },
    };
    try {
      await listen("/api/losses", { client: CLIENT, ...question(this.chosen) }, handlers, turn.signal);
      if (this.turn === turn && !isComplete) this.status.textContent = "The server has ended the computation, which took too long; `tiletune evaluate --exact --losses` has no limit.";
    } catch (error) {
      if (!isAborted(error)) {
        this.status.textContent = "";
        this.problem.textContent = error.message;
        this.problem.classList.remove("hidden");
      }
    }
    if (this.turn === turn) this.stop();
  }

  #show(found) {
    const parts = [element("section", { class: "card tight" }, element("h2", {}, "Result"), element("p", {}, found.sentence), this.#tiles(found.exact_reach))];
    if (found.points > 0) {
      parts.push(element("section", { class: "card tight" }, element("h2", {}, "By situation"), this.#situations(found.situations)));
      parts.push(element("section", { class: "card tight" }, element("h2", {}, "Positions that cost most"),
        element("p", { class: "quiet small" }, "Images of a position are counted together."),
        element("ol", { class: "loss-positions" }, found.positions.slice(0, SHOWN).map((of) => this.#position(of)))));
    }
    this.result.replaceChildren(...parts);
  }

  #tiles(reached) {
    const rows = Object.entries(reached).map(([tile, of]) => element("tr", {}, element("th", { scope: "row" }, tile), cell(percent(of)), this.#bar(of)));
    return this.#table("Largest tiles", head("largest tile", "probability", ""), rows);
  }

  #situations(situations) {
    const most = situations[0].points;
    const name = (of) => `${of.empty_cells} empty, largest ${of.largest_in_corner ? "in a corner" : "elsewhere"}`;
    const rows = situations.map((of) => element("tr", {}, element("th", { scope: "row" }, name(of)), cell(brief(of.moves)), cell(brief(of.points)), cell(percent(of.share)), this.#bar(of.points / most)));
    return this.#table("Losses by situation", head("empty cells and largest tile", "moves a game", "points lost", "share", ""), rows);
  }

  #table(label, header, rows) {
    return element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, element("table", { class: "small" }, header, element("tbody", {}, rows)));
  }

  /** A bar whose length is a share of the column. The number stands beside it. */
  #bar(share) {
    const bar = element("i", {});
    bar.style.width = `${100 * share}%`;
    return element("td", { class: "bar-cell", "aria-hidden": "true" }, element("span", { class: "loss-bar" }, bar));
  }

  #position(of) {
    const board = new Board({ label: "The position" });
    board.show({ grid: of.grid });
    const params = new URLSearchParams({ ...toParams(this.chosen), position: JSON.stringify(of.position) });
    return element("li", {}, board.element,
      element("p", { class: "small" }, element("b", {}, `${of.chosen} instead of ${of.best}`), ` costs ${exact(of.loss)} points`),
      element("p", { class: "quiet small" }, `${brief(of.visits)} times a game, ${percent(of.share)} of all losses`),
      element("p", { class: "small" }, element("a", { href: `#/ask?${params}` }, "Ask"), " ", element("a", { href: `#/lab?${params}` }, "Lab")));
  }
}

export async function mount(place, params, link) {
  const page = new Losses(await load(), params, link);
  place.append(page.element);
  return () => page.stop();
}
