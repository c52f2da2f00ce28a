// A recorded game: forwards and backwards, by move number, by the largest loss of value; what the player saw at each
// position, and on demand what a deeper search would have played.

import { Newest, ask, isAborted } from "../api.js";
import { Board } from "../board.js";
import { choice, element, field, scroller, whole } from "../dom.js";
import { listen } from "../events.js";
import { movesTable } from "../lab/drawing.js";
import { difference } from "../lab/numbers.js";
import { address } from "../runs.js";
import { compact } from "../scale.js";

/** Number of listed losses. */
const LISTED = 30;
/** Width and height of the curve, in its own units. */
const [WIDTH, HEIGHT] = [1000, 100];
/** Search depths that are offered beyond that of the player. */
const DEEPER = 3;

class GamePage {
  constructor(params, link) {
    this.link = link;
    this.params = params;
    this.client = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
    this.ended = new AbortController();
    this.search = new Newest();
    this.turn = new Newest();
    this.steps = [];
    this.at = Number(params.move ?? 0) || 0;
    this.board = new Board({ label: "The position" });
    this.#draw();
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.ended.signal });
  }

  #draw() {
    const button = (text, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, text);
    this.title = element("h1", { class: "run-title" }, "Recorded game");
    this.problem = element("p", { class: "notice bad hidden", role: "alert" });
    this.progress = element("p", { class: "small quiet", role: "status" }, "The game is played again …");
    this.slider = element("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Move", oninput: ({ target }) => this.go(Number(target.value)) });
    this.number = element("input", { type: "number", min: 0, step: 1, value: 0, name: "move", onchange: ({ target }) => this.go(Number(target.value)) });
    this.facts = element("p", { class: "status", role: "status", "aria-live": "polite" });
    this.values = scroller("Values of moves", {});
    this.losses = element("div", { class: "game-moves tight", tabindex: 0, role: "region", "aria-label": "Largest losses of value" });
    this.curve = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.curve.classList.add("game-line");
    this.curve.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.curve.setAttribute("preserveAspectRatio", "none");
    this.curve.setAttribute("role", "img");
    this.curve.addEventListener("click", ({ clientX }) => {
      const box = this.curve.getBoundingClientRect();
      this.go(Math.round(((clientX - box.left) / box.width) * (this.steps.length - 1)));
    });
    this.deeper = element("div", { class: "tight" });
    this.labLink = button("Open in Lab", () => this.#lab());
    const left = element("div", { class: "stack" }, this.problem, this.board.element, this.facts, this.slider,
      element("div", { class: "controls" },
        button("Start", () => this.go(0)), button("Back", () => this.go(this.at - 1), { title: "One move back (left arrow)" }),
        button("Forward", () => this.go(this.at + 1), { title: "One move forward (right arrow)" }), button("End", () => this.go(Infinity))),
      element("div", { class: "fields" }, field("After move", this.number)),
      element("p", { class: "quiet small" }, "Keys: left and right arrows, Page Up and Page Down for ten moves, Home, End, L for the next largest loss."));
    const right = element("div", { class: "stack" },
      element("section", { class: "card tight" }, element("h2", {}, "What the player saw"), this.values, element("div", { class: "row" }, this.labLink)),
      element("section", { class: "card tight" }, element("h2", {}, "A deeper search"), this.deeper),
      element("section", { class: "card tight" }, element("h2", {}, "Value of the position"), this.curve, this.progress),
      element("section", { class: "card tight" }, element("h2", {}, "Where the value fell most"),
        element("p", { class: "quiet small" }, "By how much the player's value of the position fell with a move and what came by chance after it."), this.losses));
    this.element = element("div", { class: "stack" },
      element("div", {}, element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs"), " / ", element("a", { href: address(this.params.run ?? "") }, this.params.run ?? "")), this.title),
      element("div", { class: "play ask lab" }, left, right));
  }

  #fail(error) {
    if (isAborted(error)) return;
    this.problem.textContent = error.message;
    this.problem.classList.remove("hidden");
    this.progress.textContent = "";
  }

  /** Which game, as the server expects it. */
  #asked() {
    const asked = { client: this.client, index: Number(this.params.index ?? 0) };
    if (this.params.hold_out) asked.hold_out = this.params.hold_out;
    for (const key of ["generation", "candidate", "finalist", "at_depth"]) if (this.params[key] !== undefined) asked[key] = Number(this.params[key]);
    return asked;
  }

  async begin() {
    const wanted = this.at;
    try {
      await listen(`/api/runs/${encodeURIComponent(this.params.run ?? "")}/game`, this.#asked(), {
        game: (game) => this.#begun(game),
        steps: (steps) => this.#more(steps, wanted),
        end: () => { this.isComplete = true; },
      }, this.ended.signal);
      this.#drawCurve();
      this.progress.textContent = this.isComplete ? "The game is the recorded one." : "The server has ended the game.";
    } catch (error) {
      this.#fail(error);
    }
  }

  #begun(game) {
    this.game = game;
    this.title.textContent = game.title;
    if (this.element.isConnected) document.title = `${game.title} – tiletune`;
    const depth = Number(game.player.depth ?? 1);
    const depths = Array.from({ length: DEEPER }, (_, index) => String(Math.min(8, (Number.isNaN(depth) ? 1 : depth) + 1 + index)));
    this.depth = depths[0];
    const hasDepth = game.file !== null;
    this.deeperAnswer = element("div", {});
    this.deeper.replaceChildren(...(hasDepth ? [
      element("div", { class: "row" },
        field("Depth", choice([...new Set(depths)].map((one) => [one, one]), this.depth, (one) => { this.depth = one; }, { name: "depth" })),
        element("button", { type: "button", onclick: () => this.#searchDeeper() }, "What would it play?")),
      this.deeperAnswer] : [element("p", { class: "quiet" }, "This player has no search with weights.")]));
    this.labLink.classList.toggle("hidden", game.file === null);
  }

  #more(steps, wanted) {
    const isFirst = this.steps.length === 0;
    this.steps.push(...steps);
    const last = this.steps.length - 1;
    this.slider.max = last;
    this.number.max = last;
    const hasCome = !this.hasArrived && wanted <= last;
    if (hasCome) this.go(wanted);
    else if (isFirst) this.#show(0);
    const now = performance.now();
    if (isFirst || now - (this.drawn ?? 0) > 300) this.#drawCurve();
  }

  /** The losses, the largest first: the move, and by how much the value fell. */
  #sorted() {
    const all = this.steps.flatMap(({ fell }, index) => (fell > 0 ? [{ at: index - 1, fell }] : []));
    return all.sort((one, other) => other.fell - one.fell).slice(0, LISTED);
  }

  #drawCurve() {
    this.drawn = performance.now();
    const values = this.steps.map(({ value }) => value).filter((value) => value !== null);
    // A game that is lost falls by far more at its end than anywhere before; the curve is cut off there.
    const sorted = [...values].sort((one, other) => one - other);
    const most = sorted.at(-1);
    const usual = sorted[Math.floor(sorted.length / 50)];
    const least = Math.max(sorted[0], usual - (most - usual) / 5);
    const isCut = least > sorted[0];
    const height = (value) => HEIGHT - 4 - ((Math.max(value, least) - least) / Math.max(most - least, 1e-9)) * (HEIGHT - 8);
    // Of many moves a pixel has its smallest and its largest value.
    const size = Math.max(1, Math.floor(this.steps.length / WIDTH));
    const points = [];
    for (let from = 0; from < this.steps.length; from += size) {
      const part = this.steps.slice(from, from + size).map(({ value }) => value).filter((value) => value !== null);
      const ends = part.length > 1 ? [Math.min(...part), Math.max(...part)] : part;
      for (const value of ends) points.push(`${((from / Math.max(1, this.steps.length - 1)) * WIDTH).toFixed(1)},${height(value).toFixed(1)}`);
    }
    const made = (name, attributes) => {
      const one = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
      return one;
    };
    this.here = made("line", { class: "here", y1: 0, y2: HEIGHT });
    this.curve.replaceChildren(made("polyline", { class: "curve", points: points.join(" ") }), this.here);
    this.curve.setAttribute("aria-label", `Value of the position over ${this.steps.length - 1} moves: from ${compact(least)} to ${compact(most)}${isCut ? "; lower values at its end are cut off" : ""}`);
    this.progress.textContent = `${whole(this.steps.length - 1)} of ${whole(this.game?.moves ?? 0)} moves`;
    this.sorted = this.#sorted();
    if (!this.losses.contains(document.activeElement)) {
      this.losses.replaceChildren(...this.sorted.map(({ at, fell }) => element("button", { type: "button", onclick: () => this.go(at) },
        element("span", {}, `move ${whole(at + 1)}: ${this.steps[at].move}`), element("b", {}, difference(-fell)))));
    }
    this.#mark();
  }

  #mark() {
    const x = (this.at / Math.max(1, this.steps.length - 1)) * WIDTH;
    this.here?.setAttribute("x1", x);
    this.here?.setAttribute("x2", x);
  }

  /** Goes to the position after a number of moves, also before that of the address has come. */
  go(wanted) {
    if (this.steps.length === 0 || Number.isNaN(wanted)) return;
    this.hasArrived = true;
    this.#show(wanted);
    // A browser ignores addresses that change as fast as a slider.
    clearTimeout(this.linking);
    this.linking = setTimeout(() => this.link(`#/game?${new URLSearchParams({ ...this.params, move: this.at })}`), 150);
  }

  async #show(wanted) {
    const last = this.steps.length - 1;
    this.at = Math.max(0, Math.min(last, wanted));
    const step = this.steps[this.at];
    this.slider.value = this.at;
    this.number.value = this.at;
    this.#mark();
    this.search.end();
    this.deeperAnswer?.replaceChildren();
    const next = this.steps[this.at + 1];
    const counts = Object.entries(step.counts).map(([name, value]) => `${name.replaceAll("_", " ")} ${whole(value)}`);
    const fell = next?.fell === null || next === undefined ? [] : [next.fell > 0 ? `then the value falls by ${compact(next.fell)}` : `then the value rises by ${compact(-next.fell)}`];
    this.facts.textContent = [step.move === null ? "The end" : `Move ${this.at + 1}: ${step.move}`, ...counts, ...fell].join(", ");
    this.#drawStep(step);
    try {
      const { name, game, ...options } = this.game.player;
      const { grid } = await ask("/api/position", { player: { name, game: this.game.game, ...options }, position: step.position }, this.turn.next());
      this.grid = grid;
      this.#drawStep(step);
    } catch (error) {
      this.#fail(error);
    }
  }

  #drawStep(step) {
    const names = Object.keys(step.values);
    const isColumns = this.game.game === "connect-four";
    const single = (value) => typeof value === "number";
    const best = step.values[step.move];
    const moves = names.map((name) => ({ name, value: step.values[name], relative: single(step.values[name]) && single(best) ? step.values[name] - best : null }));
    this.values.replaceChildren(names.length === 0 ? element("p", { class: "quiet" }, "The game is over.") : movesTable({ best: step.move, moves }, isColumns));
    if (!this.grid) return;
    this.board.show({ grid: this.grid, control: isColumns ? "columns" : "directions", moves: names, legal: names.map((name) => step.values[name] !== null) });
    this.board.value({ move: step.move, values: isColumns ? names.map((name) => step.values[name]) : Object.fromEntries(moves.map(({ name, relative, value }) => [name, relative ?? value])) });
  }

  async #searchDeeper() {
    const signal = this.search.next();
    const { depth } = this;
    const step = this.steps[this.at];
    if (step.move === null) return;
    this.deeperAnswer.replaceChildren(element("p", { class: "quiet", role: "status" }, "Searching …"));
    try {
      const player = { ...this.game.player, game: this.game.game, depth: Number(depth) };
      const answer = await ask("/api/lab/values", { client: this.client, setting: { player, file: this.game.file }, position: step.position }, signal);
      const words = answer.best === step.move ? `Depth ${depth} plays the same: ${answer.best}.` : `Depth ${depth} plays ${answer.best} instead of ${step.move}.`;
      this.deeperAnswer.replaceChildren(element("p", { role: "status" }, element("b", {}, words)), movesTable(answer, false));
    } catch (error) {
      if (!isAborted(error)) this.deeperAnswer.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
    }
  }

  /** The weights can be too long for an address, so they go another way. */
  #lab() {
    sessionStorage.setItem("tiletune-lab-file", this.game.file);
    const { name, game: _, ...options } = this.game.player;
    location.hash = `#/lab?${new URLSearchParams({ game: this.game.game, player: name, ...options, position: JSON.stringify(this.steps[this.at].position), from: "game" })}`;
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // Fields use these keys themselves.
    if (event.target.matches?.("input[type='number'], select, textarea")) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
    if (event.key in steps) this.go(this.at + steps[event.key]);
    else if (event.key === "l" || event.key === "L") this.#nextLoss();
    else return;
    event.preventDefault();
  }

  #nextLoss() {
    const sorted = this.sorted ?? [];
    const now = sorted.findIndex(({ at }) => at === this.at);
    if (sorted.length > 0) this.go(sorted[(now + 1) % sorted.length].at);
  }

  close() {
    clearTimeout(this.linking);
    this.ended.abort();
    this.search.end();
    this.turn.end();
  }
}

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params, link) {
  const page = new GamePage(params, link);
  place.append(page.element);
  page.begin();
  return () => page.close();
}
