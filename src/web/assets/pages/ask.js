// Ask: a position that is set up by hand or pasted, the value of every move, and what each term gives to it.

import { Newest, ask, isAborted } from "../api.js";
import { Board } from "../board.js";
import { Chooser, fromParams, load, question, toParams } from "../chooser.js";
import { choice, costOf, difference, element, exact, field, scroller } from "../dom.js";
import { difference as signedDifference } from "../lab/numbers.js";

/** Milliseconds without a change before a player is asked. */
const CALM = 200;
/** Numbers of a position beside its board that a person can set, with their words. */
const EXTRAS = {
  next: { label: "Next tile", values: [[1, "1"], [2, "2"]] },
  to_move: { label: "To move", values: [[1, "red ●"], [2, "yellow ○"]] },
};

/** The last position, so that it stays when the page is shown again. */
let kept = null;

class Ask {
  constructor(known, params, link) {
    this.known = known;
    this.link = link;
    this.chosen = fromParams(known, params);
    this.chooser = new Chooser(known, this.chosen, (isOtherGame) => (isOtherGame ? this.start() : this.changed()));
    this.board = new Board({ label: "The position", oncell: (cell) => this.#tap(cell) });
    this.starting = new Newest();
    this.turn = new Newest();
    this.pen = "larger";
    this.hasTerms = params.terms === "1";
    this.#draw();
  }

  #draw() {
    const button = (text, action) => element("button", { type: "button", onclick: action }, text);
    this.problem = element("p", { class: "notice bad hidden", role: "alert" });
    this.palette = element("div", { class: "palette", role: "group", "aria-label": "What a tap puts on a cell" });
    this.extras = element("div", { class: "fields" });
    this.text = element("textarea", { "aria-label": "The position", spellcheck: "false", oninput: () => this.#typed() });
    this.result = element("div", { class: "tight", "aria-live": "polite" });
    this.terms = element("details", { open: this.hasTerms, ontoggle: () => { this.hasTerms = this.terms.open; this.#ask(); } },
      element("summary", {}, "What each term gives"), this.table = scroller("What each term gives", {}));
    this.board.cells.addEventListener("keydown", (event) => this.#key(event));
    const left = element("div", { class: "stack" }, this.problem, this.board.element, this.palette,
      this.keys = element("p", { class: "quiet small" }, "Tap a cell to put the chosen tile there; with + its tile grows. Keys: arrows go from cell to cell, + and - change a tile, Delete empties a cell."),
      element("div", { class: "row" }, this.restart = button("Empty board", () => this.start()), this.labLink = element("a", { class: "button" }, "Open in Lab"), this.lossesLink = element("a", { class: "button" }, "Losses")));
    const right = element("div", { class: "stack" },
      element("section", { class: "card tight", "aria-label": "Game and player" }, this.chooser.element, this.extras),
      element("section", { class: "card tight" }, element("h2", {}, "Answer"), this.result, this.terms),
      element("section", { class: "card tight" }, element("h2", {}, "Position as text"), this.text,
        element("p", { class: "quiet small" }, "A line for tiletune advise. ", this.forms = element("span", {}, "Paste a board in any usual form: a list, its rows, hexadecimal digits, a saved game."))));
    this.element = element("div", { class: "play ask" }, left, right);
  }

  /** An empty board of the game, or the position of the link. */
  async start(position) {
    try {
      const { player } = question(this.chosen);
      const usual = await ask("/api/games", { player, seed: 1 }, this.starting.next());
      this.control = usual.control;
      const game = this.known.games.find(({ name }) => name === this.chosen.game);
      this.tiles = game.tiles;
      this.hasStones = game.number_of_players === 2;
      this.board.element.classList.toggle("round", this.hasStones);
      // The position of a game without tiles can only be typed; its start is an example.
      const start = this.tiles.length === 0 ? usual.position : { ...usual.position, board: usual.position.board.map(() => 0) };
      this.position = position ?? start;
      for (const [key, { values }] of Object.entries(EXTRAS)) if (!position && key in this.position) this.position[key] = values[0][0];
      if (!position) delete this.position.seed;
      this.#drawPalette();
      await this.changed();
    } catch (error) {
      this.#fail(error);
    }
  }

  #drawPalette() {
    const pens = [["larger", "+"], [0, "empty"], ...this.tiles.map((tile) => [tile, this.hasStones ? ["", "●", "○"][tile] : String(tile)])];
    const words = (pen, text) => (pen === "larger" ? "a larger tile with each tap" : pen === 0 ? "an empty cell" : this.hasStones ? `a ${["", "red", "yellow"][pen]} stone` : `the tile ${text}`);
    const isTyped = this.tiles.length === 0;
    for (const part of [this.palette, this.keys, this.forms]) part.classList.toggle("hidden", isTyped);
    this.restart.textContent = isTyped ? "Start position" : "Empty board";
    this.palette.replaceChildren(...pens.map(([pen, text]) => element("button", {
      type: "button", "aria-pressed": String(pen === this.pen), "aria-label": words(pen, text),
      onclick: (event) => {
        this.pen = pen;
        for (const button of this.palette.children) button.setAttribute("aria-pressed", String(button === event.currentTarget));
      },
    }, text)));
  }

  #tap(cell) {
    if (this.tiles.length === 0) return;
    const { board } = this.position;
    if (this.pen === "larger") this.#grow(cell, 1);
    else {
      board[cell] = board[cell] === this.pen ? 0 : this.pen;
      this.changed();
    }
  }

  /** The tile of a cell becomes the next larger or smaller one; beyond the last the cell is empty. */
  #grow(cell, by) {
    const all = [0, ...this.tiles];
    const at = all.indexOf(this.position.board[cell]);
    this.position.board[cell] = all[(at + by + all.length) % all.length];
    this.changed();
  }

  #key(event) {
    const buttons = [...this.board.cells.children];
    const cell = buttons.indexOf(event.target);
    const { columns } = this.board;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    if (cell < 0 || this.tiles.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) buttons[cell + steps[event.key]]?.focus();
    else if (event.key === "+" || event.key === "=") this.#grow(cell, 1);
    else if (event.key === "-") this.#grow(cell, -1);
    else if (["Delete", "Backspace", "0"].includes(event.key)) {
      this.position.board[cell] = 0;
      this.changed();
    } else return;
    event.preventDefault();
  }

  /** Every form that `tiletune advise` reads can be pasted; the server knows them. */
  async #typed() {
    clearTimeout(this.timer);
    const signal = this.turn.next();
    try {
      const { player } = question(this.chosen);
      const shown = await ask("/api/position", { player, position: this.text.value }, signal);
      const seed = /"seed"\s*:\s*"?(\d+)/.exec(this.text.value)?.[1];
      this.position = { ...shown.position, ...(seed ? { seed } : {}) };
      this.changed(true);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error) {
    if (isAborted(error)) return;
    this.problem.textContent = error.message;
    this.problem.classList.remove("hidden");
    this.result.replaceChildren();
    this.table.replaceChildren();
    this.board.value(null);
  }

  #drawExtras() {
    const known = Object.entries(EXTRAS).filter(([key]) => key in this.position);
    this.extras.replaceChildren(...known.map(([key, { label, values }]) => field(label, choice(
      values.map(([value, text]) => [String(value), text]), String(this.position[key]),
      (value) => { this.position[key] = Number(value); this.changed(); }))));
    this.extras.classList.toggle("hidden", known.length === 0);
  }

  #params() {
    return new URLSearchParams({ ...toParams(this.chosen), position: JSON.stringify(this.position), ...(this.hasTerms ? { terms: "1" } : {}) });
  }

  /** Shows the position and asks the player about it. */
  async changed(isTyped = false) {
    if (!this.position) return;
    const signal = this.turn.next();
    clearTimeout(this.timer);
    if (!isTyped) this.text.value = JSON.stringify(this.position);
    this.link(`#/ask?${this.#params()}`);
    this.labLink.href = `#/lab?${this.#params()}`;
    this.lossesLink.href = `#/losses?${new URLSearchParams(toParams(this.chosen))}`;
    try {
      const { player } = question(this.chosen);
      const shown = await ask("/api/position", { player, position: this.position }, signal);
      this.problem.classList.add("hidden");
      this.board.show({ ...shown, control: this.control });
      this.board.value(null);
      this.result.setAttribute("aria-busy", "true");
      this.#drawExtras();
      this.timer = setTimeout(() => this.#ask(), CALM);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #ask() {
    if (!this.position) return;
    const { signal } = this.turn;
    const asked = { ...question(this.chosen), position: this.position, costs: true };
    try {
      const answer = await ask("/api/advise", asked, signal);
      this.#answered(answer);
      if (this.hasTerms) await this.#explain(asked, answer, signal);
    } catch (error) {
      this.#fail(error);
    }
    // The answer to a later question is still to come.
    if (!signal.aborted) this.result.removeAttribute("aria-busy");
  }

  #answered(answer) {
    const pairs = this.#values(answer);
    this.board.show({ grid: this.board.grid, control: this.control, moves: pairs.map(([name]) => name), legal: pairs.map(([, value]) => value !== null) });
    this.board.value(answer);
    const isColumn = this.control === "columns";
    const best = answer.move === null || answer.move === undefined ? null : String(answer.move);
    const words = best === null ? "No move: the game is over." : `Move: ${isColumn ? "column " : ""}${best}${costOf(answer, best)}`;
    const top = Math.max(...pairs.map(([, value]) => value).filter((value) => typeof value === "number"), -Infinity);
    const row = ([name, value]) => element("tr", {},
      element("th", { scope: "row" }, isColumn ? `column ${name}` : name),
      element("td", { class: "number" }, value === null ? "–" : difference(value, top)),
      ...(answer.costs ? [element("td", { class: "number" }, answer.costs[name] > 0 ? `−${exact(answer.costs[name])}` : "")] : []),
      element("td", {}, name === best ? "◀ the player's move" : ""));
    const parts = [element("p", {}, element("b", {}, words))];
    if (pairs.length > 0) parts.push(scroller("Values", {}, element("table", {}, element("tbody", {}, pairs.map(row)))));
    if (answer.left !== undefined) parts.push(element("p", { class: "small" }, `Value ${exact(answer.value)}. This program moves on the board that its search leaves behind: ${answer.left.join(", ")}.`));
    if (answer.evaluation !== null && answer.evaluation !== undefined) parts.push(element("p", { class: "small quiet" }, `Static value of the position${isColumn ? " for red and yellow" : ""}: ${exact(answer.evaluation)}`));
    this.result.replaceChildren(...parts);
  }

  #values({ values }) {
    if (Array.isArray(values)) return values.map((value, index) => [String(index + 1), value]);
    return Object.entries(values ?? {});
  }

  async #explain(asked, answer, signal) {
    try {
      const { terms } = await ask("/api/advise", { ...asked, explain: true }, signal);
      if (terms === undefined) throw new Error("This player has no terms to explain");
      this.#drawTerms(terms, answer);
    } catch (error) {
      if (!isAborted(error)) this.table.replaceChildren(element("p", { class: "quiet small" }, `${error.message}.`));
    }
  }

  /** A row for each term, a column for each move: what the term gives it beyond the player's move. */
  #drawTerms(terms, { move }) {
    const moves = Object.keys(terms);
    const names = Object.keys(terms[moves[0]] ?? {});
    const best = (name) => ({ class: name === String(move) ? "number best" : "number" });
    const cells = (value) => moves.map((name) => element("td", best(name), signedDifference(value(name))));
    const base = terms[String(move)] ?? terms[moves[0]];
    const beyond = (name, term) => terms[name][term] - base[term];
    // What all moves share decides nothing.
    const deciding = names.filter((term) => moves.some((name) => beyond(name, term) !== 0));
    const rows = deciding.map((term) => element("tr", {}, element("th", { scope: "row" }, term), cells((name) => beyond(name, term))));
    rows.push(element("tr", { class: "sum" }, element("th", { scope: "row" }, "all terms"), cells((name) => deciding.reduce((all, term) => all + beyond(name, term), 0))));
    const head = element("tr", {}, element("th", {}, "term"), moves.map((name) => element("th", { scope: "col", ...best(name) }, name)));
    this.table.replaceChildren(moves.length === 0
      ? element("p", { class: "quiet small" }, "No move is legal.")
      : element("div", {}, element("table", { class: "terms small" }, element("thead", {}, head), element("tbody", {}, rows)),
        element("p", { class: "quiet small" }, "Points before the search looks ahead, as differences from the player's move. Terms that are equal for all moves are left out.")));
  }

  close() {
    this.starting.end();
    this.turn.end();
    clearTimeout(this.timer);
    kept = Object.fromEntries(this.#params());
  }
}

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params, link) {
  const known = await load();
  const wanted = Object.keys(params).length === 0 && kept ? kept : params;
  const page = new Ask(known, wanted, link);
  place.append(element("h1", { class: "unseen" }, "Ask"), page.element);
  let position;
  try {
    position = wanted.position ? JSON.parse(wanted.position) : undefined;
  } catch {
    // A damaged link shows the empty board.
  }
  await page.start(position);
  return () => page.close();
}
