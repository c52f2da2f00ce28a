// The runs of the results folder, and the curves of several of them side by side.

import { ask } from "../api.js";
import { best } from "../best.js";
import { element, scroller } from "../dom.js";
import { MOST, Overlay } from "../overlay.js";
import { bytes } from "../scale.js";
import { address, badge } from "../runs.js";
import { prunings } from "./pruned.js";

/** Time between two requests for the list, in milliseconds. */
const REFRESH = 4000;

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params) {
  const names = (params.compare ?? "").split(",").filter(Boolean).map(decodeURIComponent);
  if (names.length > 0) return compare(place, names);
  const list = new ListPage(place);
  await list.begin();
  return () => list.end();
}

function compare(place, names) {
  const isRunning = (runs) => runs.some(({ run }) => run.state === "running");
  const overlay = new Overlay(() => names, isRunning);
  place.replaceChildren(
    element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs")),
    element("h1", {}, "Curves of runs"),
    overlay.element);
  overlay.begin();
  return () => overlay.end();
}

class ListPage {
  constructor(place) {
    this.place = place;
    this.ended = new AbortController();
    this.chosen = new Set();
    this.isNested = false;
  }

  async begin() {
    this.found = await ask("/api/runs", undefined, this.ended.signal);
    this.known = JSON.stringify(this.found);
    this.button = element("a", { class: "button", role: "button", "aria-disabled": "true" }, "Compare curves");
    this.rows = element("tbody", {});
    this.others = element("div", {});
    this.pruned = element("div", {});
    const nested = element("label", { class: "row" },
      element("input", { type: "checkbox", onchange: (event) => this.nest(event.target.checked) }), "runs inside of other runs, too");
    const head = ["", "run", "state", "game and player", "result", "began", "size"].map((name) =>
      element("th", { scope: "col" }, name || element("span", { class: "unseen" }, "chosen")));
    this.table = scroller("Runs", { class: "card" }, element("table", { class: "runs" }, element("thead", {}, element("tr", {}, head)), this.rows));
    this.none = element("p", { class: "notice" }, "There are no runs in the results folder. ", element("code", {}, "tiletune tune --out results/mine"), " makes one.");
    this.place.replaceChildren(element("h1", {}, "Runs"), element("div", { class: "row runs-tools" }, this.button, element("a", { class: "button", href: "#/new" }, "New campaign"), nested), this.none, this.table, this.others, this.pruned, best(this.ended.signal));
    prunings(this.ended.signal).then((parts) => this.pruned.replaceChildren(...parts), () => {});
    this.fill();
    this.wait();
  }

  end() {
    this.ended.abort();
    clearTimeout(this.waiting);
  }

  wait() {
    this.waiting = setTimeout(async () => {
      if (!document.hidden) await this.refresh();
      if (!this.ended.signal.aborted) this.wait();
    }, REFRESH);
  }

  async refresh() {
    try {
      const found = await ask("/api/runs", undefined, this.ended.signal);
      const known = JSON.stringify(found);
      if (known === this.known) return;
      [this.found, this.known] = [found, known];
      this.fill();
    } catch {
      // The next request may be answered.
    }
  }

  nest(isNested) {
    this.isNested = isNested;
    this.fill();
  }

  fill() {
    const { dataset, tagName } = document.activeElement ?? {};
    const focused = dataset?.run;
    const names = new Set(this.found.runs.map((run) => run.path));
    const isInside = (path) => path.split("/").some((_, index, parts) => index > 0 && names.has(parts.slice(0, index).join("/")));
    const shown = this.found.runs.filter((run) => this.isNested || !isInside(run.path));
    this.rows.replaceChildren(...shown.map((run) => this.row(run)));
    this.none.hidden = shown.length > 0;
    this.table.hidden = shown.length === 0;
    const damaged = this.found.others.filter((other) => other.is_run);
    this.others.replaceChildren(...damaged.map(({ path, reason }) =>
      element("p", { class: "notice bad" }, reason.startsWith(path) ? reason : `${path}: ${reason}`)));
    this.fillButton();
    if (focused) this.rows.querySelector(`${tagName}[data-run="${CSS.escape(focused)}"]`)?.focus();
  }

  row(run) {
    const hasCurves = run.search === "run";
    const box = hasCurves
      ? element("input", { type: "checkbox", "aria-label": `choose ${run.path}`, "data-run": run.path, checked: this.chosen.has(run.path), onchange: (event) => this.choose(run.path, event.target.checked) })
      : "";
    return element("tr", {},
      element("td", { class: "runs-box" }, box),
      element("td", { class: "runs-name" }, element("a", { href: address(run.path), "data-run": run.path }, run.path), element("br"), element("span", { class: "quiet small" }, run.kind)),
      element("td", {}, badge(run.state)),
      element("td", {}, run.game, element("br"), element("span", { class: "quiet small" }, run.players.join(", "))),
      element("td", {}, run.headline.replaceAll("->", "→")),
      element("td", { class: "small quiet" }, run.began.slice(0, 16).replace("T", " ")),
      element("td", { class: "number small quiet" }, bytes(run.bytes)));
  }

  choose(name, isChosen) {
    if (isChosen) this.chosen.add(name);
    else this.chosen.delete(name);
    this.fillButton();
  }

  fillButton() {
    const count = this.chosen.size;
    const isReady = count >= 2 && count <= MOST;
    this.button.textContent = count === 0 ? "Compare curves: choose two or more" : count > MOST ? `Compare curves: at most ${MOST}` : `Compare curves (${count})`;
    this.button.setAttribute("aria-disabled", String(!isReady));
    if (isReady) this.button.href = `#/runs?compare=${encodeURIComponent([...this.chosen].map(encodeURIComponent).join(","))}`;
    else this.button.removeAttribute("href");
  }
}
