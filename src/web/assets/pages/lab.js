// Lab: move a weight, and see what the player thinks of a position. All numbers come from the server.

import { Newest, ask, isAborted } from "../api.js";
import { Board } from "../board.js";
import { Chooser, fromParams, load, question, toParams } from "../chooser.js";
import { choice, element, field, scroller } from "../dom.js";
import { heatTable, movesTable, sum, termsTable } from "../lab/drawing.js";
import { Files } from "../lab/files.js";
import { GamesPanel } from "../lab/games.js";
import { Latest } from "../lab/latest.js";
import { difference } from "../lab/numbers.js";
import { someMoves } from "../lab/position.js";
import { Sliders } from "../lab/sliders.js";
import { compact } from "../scale.js";

/** What stands before the key of a weight in a link. */
const WEIGHT = "w.";
/** The longest text of a file in a link. */
const LONGEST_FILE = 20000;

/** Milliseconds without a change after which the address follows. */
const LINK = 150;

/** The last state, so that it stays when the page is shown again. */
let kept = null;

class Lab {
  constructor(known, params, link) {
    this.known = known;
    this.link = link;
    this.params = params;
    this.chosen = fromParams(known, params);
    this.file = params.file ?? null;
    this.after = params.after ?? "";
    this.term = params.heat ?? "";
    // The server has one search for each page.
    this.client = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
    /** The requests for the weights, for a file, for the position and for the moves that flip. */
    this.opening = new Newest();
    this.checking = new Newest();
    this.placing = new Newest();
    this.flipping = new Newest();
    this.chooser = new Chooser(known, this.chosen, (isOtherGame) => this.#chosenChanged(isOtherGame));
    this.board = new Board({ label: "The position", onmove: (name) => this.#setAfter(this.after === name ? "" : name) });
    this.sliders = new Sliders(() => this.#changed());
    this.latest = new Latest(
      (asked, signal) => ask("/api/lab/values", asked, signal),
      (answer) => this.#answered(answer),
      (error) => this.#fail(error));
    this.games = new GamesPanel(() => ({ client: this.client, setting: this.#setting() }));
    this.files = new Files(() => this.#setting(), (text) => this.#openFile(text), () => this.#address());
    this.#draw();
  }

  // ---- the page

  #draw() {
    const button = (text, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, text);
    const section = (title, ...parts) => element("section", { class: "card tight" }, element("h2", {}, title), ...parts);
    this.problem = element("p", { class: "notice bad hidden", role: "alert" });
    this.words = element("p", { class: "status", role: "status", "aria-live": "polite" });
    this.moves = scroller("Values of moves", {});
    this.terms = scroller("What each term gives", {});
    this.termWords = element("p", { class: "quiet small" });
    this.heat = element("div", {});
    this.heatWords = element("p", { class: "quiet small" });
    this.heatFields = element("div", { class: "fields" });
    this.heatSection = section("Where on the board", this.heatFields, this.heat, this.heatWords);
    this.text = element("textarea", { "aria-label": "The position", spellcheck: "false", oninput: () => this.#typed() });
    this.flipButton = button("Where does the move flip?", () => this.#flips());
    this.flipWords = element("p", { class: "small quiet", role: "status" });
    this.now = element("p", { class: "lab-now small", "aria-hidden": "true" });
    this.textProblem = element("p", { class: "small bad-words hidden", role: "alert" });
    const left = element("div", { class: "stack" }, this.problem, this.board.element, this.words,
      section("Moves", this.moves),
      section("What each term gives, against the best move", this.terms, this.termWords),
      this.heatSection);
    const right = element("div", { class: "stack" },
      element("section", { class: "card tight", "aria-label": "Game and player" }, this.chooser.element, this.fileWords = element("p", { class: "small hidden" })),
      section("Weights",
        element("div", { class: "row" }, this.flipButton, button("All as they began", () => this.sliders.reset())),
        this.flipWords, this.now, this.sliders.element),
      section("Position",
        element("div", { class: "row" }, button("Another position", () => this.#another()), this.askLink = element("a", { class: "button" }, "Set it up in Ask"), this.lossesLink = element("a", { class: "button" }, "Losses")),
        this.text, this.textProblem,
        element("p", { class: "quiet small" }, "Paste a board in any usual form: a list, rows, hexadecimal digits, a saved game.")),
      section("Games with these weights", this.games.element),
      section("Weights and heuristic as files", this.files.element));
    this.element = element("div", { class: "play lab" }, left, right);
  }

  #fail(error) {
    if (isAborted(error)) return;
    this.problem.textContent = error.message;
    this.problem.classList.remove("hidden");
  }

  // ---- the setting

  #setting() {
    const asked = question(this.chosen);
    if (this.file !== null) {
      delete asked.weights;
      asked.file = this.file;
    }
    return { ...asked, values: { ...this.sliders.values } };
  }

  #address() {
    const values = Object.entries(this.sliders.values ?? {}).map(([key, value]) => [WEIGHT + key, value]);
    const params = { ...toParams(this.chosen), ...Object.fromEntries(values) };
    if (this.position) params.position = JSON.stringify(this.position);
    if (this.term) params.heat = this.term;
    if (this.after) params.after = this.after;
    if (this.file !== null && this.file.length <= LONGEST_FILE) params.file = this.file;
    return `#/lab?${new URLSearchParams(params)}`;
  }

  /** The address becomes a link to this state. A browser ignores addresses that change as fast as a slider. */
  #link() {
    clearTimeout(this.linking);
    this.linking = setTimeout(() => this.link(this.#address()), LINK);
  }

  /** Begins with the weights of the link and its position. */
  async start() {
    const { params } = this;
    this.params = {};
    let position;
    try {
      position = params.position ? JSON.parse(params.position) : undefined;
    } catch {
      // A damaged link shows another position.
    }
    const given = Object.entries(params).filter(([key]) => key.startsWith(WEIGHT));
    const values = Object.fromEntries(given.map(([key, value]) => [key.slice(WEIGHT.length), Number(value)]));
    await this.#open(values);
    await this.#place(position);
  }

  /** Asks for the parameters of the heuristic. */
  async #open(values = {}) {
    const signal = this.opening.next();
    this.latest.end();
    this.#clearFlips();
    this.games.stop();
    const hindrance = this.#hindrance();
    this.isReady = false;
    this.sliders.show([]);
    if (hindrance) {
      for (const part of [this.moves, this.terms]) part.replaceChildren();
      this.heatSection.classList.add("hidden");
      this.board.value(null);
      this.#fail(new Error(hindrance));
      return;
    }
    try {
      const opened = await ask("/api/lab/open", { setting: { ...this.#setting(), values: {} } }, signal);
      if (opened.mistake) throw new Error(`The file of this link is wrong: ${opened.mistake.message}`);
      this.problem.classList.add("hidden");
      this.isReady = true;
      this.sliders.show(opened.parameters, values);
      this.files.opened(opened.heuristic, this.file);
      this.fileWords.classList.toggle("hidden", this.file === null);
      if (this.file !== null) this.fileWords.replaceChildren("The weights begin as in the opened file. ", element("button", { type: "button", onclick: () => this.#openFile(null) }, "Close the file"));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Why the player has no weights to move; null if it has some. */
  #hindrance() {
    const { player } = this.chooser;
    return player.has_weights ? null : `${player.name} has no weights. Choose another player.`;
  }

  async #chosenChanged(isOtherGame) {
    this.checking.end();
    this.file = null;
    this.fileWords.classList.add("hidden");
    if (isOtherGame) {
      this.after = "";
      this.position = null;
      this.placing.end();
    }
    await this.#open();
    if (isOtherGame) await this.#place();
    else this.#changed();
  }

  /** Begins with the heuristic or the weights of a text, or returns what is wrong with it; `null` goes back to the list. */
  async #openFile(text) {
    if (text !== null) {
      const { player } = question(this.chosen);
      const opened = await ask("/api/lab/open", { setting: { player, file: text } }, this.checking.next());
      if (opened.mistake) return opened.mistake;
    }
    this.file = text;
    await this.#open();
    this.#changed();
    return null;
  }

  // ---- the position

  /** Shows a position, or an example of the game. */
  async #place(position) {
    try {
      const { player } = question(this.chosen);
      const signal = this.placing.next();
      this.position = position ?? await someMoves(player, signal, true);
      await this.#show();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #another() {
    try {
      const signal = this.placing.next();
      this.position = await someMoves(question(this.chosen).player, signal);
      this.after = "";
      await this.#show();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #typed() {
    const isEmpty = this.text.value.trim() === "";
    try {
      this.placing.next();
      if (!isEmpty) await this.#show(this.text.value);
      this.textProblem.classList.toggle("hidden", !isEmpty);
      this.textProblem.textContent = "The board above stays until there is another one.";
    } catch (error) {
      if (isAborted(error)) return;
      this.textProblem.textContent = error.message;
      this.textProblem.classList.remove("hidden");
    }
  }

  async #show(typed) {
    const { player } = question(this.chosen);
    const shown = await ask("/api/position", { player, position: typed ?? this.position }, this.placing.signal);
    if (typed !== undefined) this.position = shown.position;
    else this.text.value = JSON.stringify(this.position);
    const game = this.known.games.find(({ name }) => name === this.chosen.game);
    this.control = game.number_of_players === 2 ? "columns" : "directions";
    this.board.element.classList.toggle("round", game.number_of_players === 2);
    this.grid = shown.grid;
    this.board.show({ grid: shown.grid, control: this.control });
    this.problem.classList.add("hidden");
    this.#changed();
  }

  // ---- what follows from the weights

  #changed() {
    this.#clearFlips();
    this.games.changed();
    if (!this.position) return;
    this.#link();
    this.lossesLink.href = `#/losses?${new URLSearchParams(toParams(this.chosen))}`;
    this.askLink.href = `#/ask?${new URLSearchParams({ ...toParams(this.chosen), position: JSON.stringify(this.position) })}`;
    if (!this.isReady) return;
    const asked = { client: this.client, setting: this.#setting(), position: this.position, heat: true };
    if (this.after) asked.after = this.after;
    this.latest.ask(asked);
  }

  #setAfter(name) {
    this.after = name;
    this.#changed();
  }

  #answered(answer) {
    this.answer = answer;
    this.problem.classList.add("hidden");
    const isColumns = this.control === "columns";
    const { best, moves } = answer;
    this.board.show({ grid: this.grid, control: this.control, moves: moves.map(({ name }) => name), legal: moves.map(({ value }) => value !== null) });
    const shown = moves.map(({ name, value, relative }) => [name, relative ?? value]);
    this.board.value({ move: best, values: isColumns ? shown.map(([, value]) => value) : Object.fromEntries(shown) });
    const words = best === null ? "No move: the game is over." : `The player moves ${isColumns ? `in column ${best}` : best}.`;
    const others = moves.filter(({ name, relative }) => name !== best && relative !== null);
    this.now.textContent = [words, ...others.map(({ name, relative }) => `${name} ${difference(relative)}`)].join(" · ");
    // The same words again would not be news for a screen reader.
    if (this.words.textContent !== words) this.words.textContent = words;
    this.moves.replaceChildren(movesTable(answer, isColumns));
    if (answer.terms.length === 0) {
      this.terms.replaceChildren();
      this.termWords.textContent = best === null ? "" : "This player does not tell its terms apart.";
    } else {
      const [table, left] = termsTable(answer);
      this.terms.replaceChildren(table);
      const { depth } = this.chosen.options;
      this.termWords.textContent = `${left} The points are those of the board after the move${depth === 0 ? "" : "; the value of a move comes from a search that looks further"}.`;
    }
    this.#drawHeat(answer);
    this.element.dataset.answers = Number(this.element.dataset.answers ?? 0) + 1;
  }

  #drawHeat({ heat, moves }) {
    if (!heat && this.after && this.isReady) {
      // The move has become illegal.
      this.#setAfter("");
      return;
    }
    this.heatSection.classList.toggle("hidden", !heat);
    if (!heat) return;
    const constants = new Set(this.sliders.parameters.filter(({ role }) => role === "constant").map(({ term }) => term));
    const told = heat.terms.filter(({ term }) => !constants.has(term));
    if (!told.some(({ term }) => term === this.term)) this.term = "";
    const legal = moves.filter(({ value }) => value !== null).map(({ name }) => name);
    const names = [["", "all terms"], ...told.map(({ term, points }) => [term, `${term} (${difference(points)})`])];
    const chosen = (pairs, value, action, name) => choice(pairs, value, action, { name });
    if (!this.heatFields.contains(document.activeElement)) {
      this.heatFields.replaceChildren(
        field("Term", chosen(names, this.term, (term) => { this.term = term; this.#link(); this.#drawHeat(this.answer); }, "heat-term")),
        field("Board", chosen([["", "this position"], ...legal.map((name) => [name, `after ${name}`])], this.after, (name) => this.#setAfter(name), "heat-after")));
    }
    if (told.length === 0) {
      this.heat.replaceChildren(element("p", { class: "quiet" }, "No term is on."));
      return;
    }
    const of = this.term === "" ? sum(told) : told.find(({ term }) => term === this.term);
    const caption = `Points of ${this.term || "all terms"} on ${this.after ? `the board after ${this.after}` : "this position"}`;
    this.heat.replaceChildren(heatTable(of, heat.grid, caption));
    const parts = ["A cell has its share of the points of its row and its column; the numbers at the ends are those of whole rows and columns."];
    if (constants.size > 0) parts.push("Constants are left out.");
    if (of.board !== 0) parts.push(`Terms of the whole board: ${difference(of.board)}; terms of the largest tile are shown at its cell.`);
    this.heatWords.textContent = parts.join(" ");
  }

  // ---- where the move flips

  #clearFlips() {
    this.flipping.end();
    this.sliders.clearFlips();
    this.flipWords.textContent = "";
    this.flipButton.textContent = "Where does the move flip?";
    this.isFlipping = false;
  }

  /** Asks for one weight after the other, so that the first ones are seen at once, and a click ends the rest. */
  async #flips() {
    if (this.isFlipping) {
      this.#clearFlips();
      return;
    }
    this.#clearFlips();
    this.isFlipping = true;
    this.flipButton.textContent = "Stop";
    const signal = this.flipping.next();
    const begun = performance.now();
    // What is inside of a term that is off has no effect.
    const all = this.sliders.parameters.filter((one) => one.role === "weight" || (one.role === "power" && this.sliders.isOn(one)));
    const hits = [];
    try {
      for (const [index, { key }] of all.entries()) {
        this.flipWords.textContent = `${index + 1} of ${all.length}: ${key}`;
        const found = await ask("/api/lab/flip", { client: this.client, setting: this.#setting(), position: this.position, key }, signal);
        const side = (change, where) => change && `${change.best ?? "no move"} ${where} ${compact(change.value)}`;
        const sides = [side(found.below, "below"), side(found.above, "above")].filter(Boolean).join(", ");
        if (sides) hits.push(`${key} (${sides})`);
        this.sliders.flips(key, sides ? element("b", {}, sides) : "no other move", sides !== "");
      }
      this.flipWords.textContent = `${hits.length} of ${all.length} weights change the move by themselves${hits.length > 0 ? `: ${hits.join("; ")}` : ""} (${((performance.now() - begun) / 1000).toFixed(1)} s).`;
    } catch (error) {
      this.#fail(error);
    }
    if (signal.aborted) return;
    this.isFlipping = false;
    this.flipButton.textContent = "Where does the move flip?";
  }

  close() {
    clearTimeout(this.linking);
    this.opening.end();
    this.checking.end();
    this.placing.end();
    this.flipping.end();
    this.latest.end();
    this.games.stop();
    kept = Object.fromEntries(new URLSearchParams(this.#address().split(/\?(.*)/s)[1]));
  }
}

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params, link) {
  const known = await load();
  const wanted = { ...(Object.keys(params).length === 0 && kept ? kept : params) };
  // A link of a recorded game leaves its weights here, because they can be too long for an address.
  if (wanted.from === "game") {
    const left = sessionStorage.getItem("tiletune-lab-file");
    if (left) wanted.file = left;
    delete wanted.from;
  }
  const page = new Lab(known, wanted, link);
  place.append(element("h1", { class: "unseen" }, "Lab"), page.element);
  await page.start();
  return () => page.close();
}
