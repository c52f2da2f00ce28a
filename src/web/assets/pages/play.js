// Play: a person makes moves, asks for a hint and takes moves back; a player plays on, or against the person.
//
// A game is its settings, its seed and its moves. The server says which position that is; nothing else is kept.

import { Newest, ask, isAborted } from "../api.js";
import { Board, moveOfKey } from "../board.js";
import { Chooser, fromParams, load, question, toParams } from "../chooser.js";
import { choice, costOf, element, field, whole } from "../dom.js";

/** Moves a second of a player. The last is as fast as it can. */
const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30, Infinity];
const SLIDE = 100;
/** Moves that are listed; a game has thousands. */
const LISTED = 300;
/** Moves of a person that wait for the server. */
const WAITING = 3;
/** Milliseconds after which a player answers a person. */
const AGAINST = 350;
const LET_IT_PLAY = "Let it play";
const OWN_BOARD = "This program moves on the board that its search leaves behind, so it cannot go on with this game. Choose another player.";
/** The names of numbers in words. */
const NAMES = { score: "Score", max_tile: "Largest tile", next: "Next tile", to_move: "To move" };

/** The last game, so that it goes on when the page is shown again. */
let kept = null;

const randomSeed = () => 1 + Math.floor(Math.random() * 999999);

class Play {
  constructor(known, params, link) {
    this.link = link;
    this.chosen = fromParams(known, params);
    this.seed = /^\d{1,16}$/.test(params.seed ?? "") ? Number(params.seed) : randomSeed();
    this.hasOpening = params.opening === "1";
    this.seats = [params.first ?? "person", params.second ?? "player"].map((who) => (who === "player" ? who : "person"));
    this.moves = params.moves ?? "";
    this.history = [];
    this.state = null;
    this.isPlaying = params.play === "1";
    this.speed = SPEEDS.indexOf(Number(params.speed ?? 4)) < 0 ? 3 : SPEEDS.indexOf(Number(params.speed ?? 4));
    this.hasValues = params.values === "1";
    this.waiting = [];
    this.isBusy = false;
    this.turn = new Newest();
    this.search = new Newest();
    /** Hints and values: they are of the state that is shown. */
    this.advice = new Newest();
    /** The move on its way. */
    this.making = Promise.resolve();
    this.isOpen = true;
    this.isRunning = false;
    this.hasFailed = false;
    this.shownAt = 0;
    this.chooser = new Chooser(known, this.chosen, (isOtherGame) => this.#settingsChanged(isOtherGame));
    this.board = new Board({ onmove: (name) => this.#person(name), label: "The board" });
    this.#draw();
    this.onkey = (event) => this.#key(event);
    document.addEventListener("keydown", this.onkey);
  }

  get isForTwo() {
    return this.chooser.game.number_of_players === 2;
  }

  /** Who makes the next move. */
  get seat() {
    return this.isForTwo ? this.seats[this.state.counts.to_move - 1] : "person";
  }

  // ---- the page

  #draw() {
    const button = (text, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, text);
    this.scores = element("div", { class: "scores" });
    this.status = element("p", { class: "status", role: "status", "aria-live": "polite" });
    this.problem = element("p", { class: "notice bad hidden", role: "alert" });
    this.undo = button("Undo", () => this.undoMove(), { title: "Take the last move back (U)" });
    this.hint = button("Hint", () => this.#hint(), { title: "Show the player's move (?)" });
    this.step = button("One move", () => this.#stepOnce(), { title: "The player makes one move (N)" });
    this.run = button(LET_IT_PLAY, () => this.#toggle(), { class: "main", title: "The player goes on by itself (space)" });
    this.toEnd = button("To the end", () => this.#playToEnd(), { title: "The player goes on as fast as it can" });
    this.speedText = element("output", {});
    this.slider = element("input", {
      type: "range", min: 0, max: SPEEDS.length - 1, step: 1, value: this.speed, "aria-label": "Moves a second",
      oninput: (event) => { this.speed = Number(event.target.value); this.#showSpeed(); },
    });
    this.values = element("input", {
      type: "checkbox", checked: this.hasValues,
      onchange: (event) => { this.hasValues = event.target.checked; this.#link(); this.#showValues(); },
    });
    this.seedField = element("input", {
      value: this.seed, inputmode: "numeric", pattern: "[0-9]{1,16}", size: 8, autocomplete: "off",
      onchange: (event) => {
        if (/^\d{1,16}$/.test(event.target.value.trim())) this.#begin(Number(event.target.value));
        else event.target.value = this.seed;
      },
    });
    this.forTwo = element("div", { class: "fields" });
    this.list = element("div", { class: "list-of-moves", tabindex: 0, role: "region", "aria-label": "Moves, the last one first" });
    this.copied = element("span", { class: "small quiet", role: "status" });
    const left = element("div", { class: "stack" },
      this.scores, this.problem, this.status, this.board.element,
      element("div", { class: "controls" }, this.undo, this.hint, this.step, this.run, this.toEnd),
      element("div", { class: "row" },
        element("label", { class: "speed" }, element("span", { class: "small" }, "Speed"), this.slider, this.speedText),
        element("label", { class: "row small" }, this.values, "Values of moves")));
    const right = element("div", { class: "stack" },
      element("section", { class: "card tight", "aria-label": "Game and player" },
        this.chooser.element, this.forTwo,
        element("div", { class: "fields" }, field("Seed", this.seedField)),
        element("div", { class: "row" },
          button("New game", () => this.#begin(randomSeed()), { class: "main" }),
          button("Restart", () => this.#begin(this.seed), { title: "The same game from its start" }),
          button("Copy link", () => this.#copy()),
          this.askLink = element("a", { class: "button" }, "Ask about this position"), this.labLink = element("a", { class: "button" }, "Open in Lab"), this.copied)),
      element("section", { class: "card tight" }, element("h2", {}, "Moves"), this.list),
      element("p", { class: "quiet small" }, "Keys: arrows or a column's number move, U takes back, ? hints, N lets the player make one move, space starts and pauses it. On a touch screen swipe."));
    this.element = element("div", { class: "play" }, left, right);
    this.#showSpeed();
    this.#drawForTwo();
  }

  #drawForTwo() {
    this.forTwo.classList.toggle("hidden", !this.isForTwo);
    if (!this.isForTwo) return this.forTwo.replaceChildren();
    const seat = (index, label) => field(label, choice([["person", "a person"], ["player", "the player"]], this.seats[index], (who) => {
      this.seats[index] = who;
      this.#link();
      this.#goOn();
    }));
    const opening = choice([["", "empty board"], ["1", "random opening"]], this.hasOpening ? "1" : "", (value) => {
      this.hasOpening = value === "1";
      this.#begin(this.seed);
    });
    this.forTwo.replaceChildren(seat(0, "First (red ●)"), seat(1, "Second (yellow ○)"), field("Start", opening));
    return undefined;
  }

  #showSpeed() {
    const speed = SPEEDS[this.speed];
    this.speedText.textContent = speed === Infinity ? "fastest" : `${speed} a second`;
  }

  #showScores() {
    const made = { ...this.state.counts, Moves: this.moves.length };
    if (this.state.ended) delete made.to_move;
    const text = (key, value) => (key === "to_move" ? ["", "red ●", "yellow ○"][value] : whole(value));
    const score = ([key, value]) => {
      const number = element("b", {}, text(key, value));
      // The next tile has the colour of such a tile, if there is one on the board.
      const like = key === "next" ? this.state.grid.cells.find((cell) => cell.text === String(value)) : undefined;
      if (like) {
        number.classList.add("tile-like");
        number.style.backgroundColor = like.ground;
        number.style.color = like.ink;
      }
      return element("div", { class: "score" }, element("span", {}, NAMES[key] ?? key), number);
    };
    const order = ["score", "max_tile", "next", "to_move", "Moves"];
    const entries = Object.entries(made).sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
    this.scores.replaceChildren(...entries.map(score));
  }

  #row(number) {
    const name = this.state.moves[parseInt(this.moves[number - 1], 36)];
    const { score } = this.history[number] ?? {};
    return element("tr", {}, element("td", { class: "number" }, number), element("td", {}, ...this.#stone(number), name), score === undefined ? null : element("td", { class: "number" }, whole(score)));
  }

  /** The stone of a move in a game for two, with its colour in words. */
  #stone(number) {
    if (!this.isForTwo) return [];
    const player = this.history[number - 1]?.to_move ?? 2 - (number % 2);
    const cell = this.state.grid.cells.find(({ text }) => text === ["", "●", "○"][player]);
    const stone = element("span", { class: "stone", "aria-hidden": "true" });
    stone.style.backgroundColor = cell?.ground ?? "transparent";
    return [stone, element("span", { class: "unseen" }, ["", "red, ", "yellow, "][player])];
  }

  /** The list of moves; with `name` one more than before. */
  #showMoves(name) {
    const { length } = this.moves;
    if (name && this.rows && length > 1) {
      this.rows.prepend(this.#row(length));
      if (this.rows.children.length > LISTED) this.rows.lastChild.remove();
    } else {
      const numbers = Array.from({ length: Math.min(length, LISTED) }, (_, index) => length - index);
      this.rows = element("tbody", {}, numbers.map((number) => this.#row(number)));
      const head = ["#", this.isForTwo ? "column" : "move", ...(this.state.counts.score === undefined ? [] : ["score"])];
      const cells = head.map((text) => element("th", { scope: "col", class: text === "#" || text === "score" ? "number" : "" }, text));
      const table = element("table", {}, element("thead", {}, element("tr", {}, cells)), this.rows);
      this.earlier = element("p", { class: "quiet small" });
      this.list.replaceChildren(length > 0 ? table : element("p", { class: "quiet" }, "none yet"), this.earlier);
    }
    this.earlier.textContent = length > LISTED ? `… and ${whole(length - LISTED)} moves before` : "";
  }

  /** What has happened, for the status line, which screen readers speak. */
  #say(name) {
    const { ended, counts, appeared, grid } = this.state;
    if (ended) {
      this.status.textContent = `Game over: ${this.#ending(ended, counts)}`;
      return;
    }
    const parts = [];
    if (name) parts.push(this.isForTwo ? `column ${name}` : name);
    if (name && counts.score !== undefined) parts.push(`score ${whole(counts.score)}`);
    const [cell] = appeared;
    if (name && !this.isForTwo && cell !== undefined) {
      const [row, column] = [Math.floor(cell / grid.columns) + 1, (cell % grid.columns) + 1];
      parts.push(`new ${grid.cells[cell].text} in row ${row}, column ${column}`);
    }
    if (!name && !this.isForTwo) parts.push(this.state.control === "columns" ? "Click a column, or press its number" : "Move with the arrow keys, or swipe");
    if (this.isForTwo) parts.push(this.seat === "person" ? "your move" : "the player's move");
    const words = parts.join(", ");
    this.status.textContent = words[0].toUpperCase() + words.slice(1);
  }

  #ending(ended, counts) {
    if (ended.how === "won") return `${["", "red ●", "yellow ○"][ended.by]} has won`;
    if (ended.how === "drawn") return "a draw";
    return counts.score === undefined ? "no move is left" : `no move is left; score ${whole(counts.score)}, largest tile ${whole(counts.max_tile)}`;
  }

  #fail(error) {
    if (isAborted(error)) return;
    this.pause();
    this.hasFailed = true;
    this.problem.textContent = error.message;
    this.problem.classList.remove("hidden");
  }

  #params(withMoves) {
    const params = { ...toParams(this.chosen), seed: this.seed };
    if (this.isForTwo) {
      params.first = this.seats[0];
      params.second = this.seats[1];
      if (this.hasOpening) params.opening = "1";
    }
    if (this.hasValues) params.values = "1";
    if (withMoves && this.moves) params.moves = this.moves;
    return new URLSearchParams(params);
  }

  /** The address becomes a link to this game from its start. */
  #link() {
    this.link(`#/play?${this.#params(false)}`);
  }

  async #copy() {
    const link = `${location.origin}${location.pathname}#/play?${this.#params(true)}`;
    try {
      await navigator.clipboard.writeText(link);
      this.copied.textContent = "copied";
    } catch {
      this.copied.replaceChildren(element("a", { href: link }, "link to this position"));
    }
  }

  // ---- the game

  #settingsChanged(isOtherGame) {
    this.#drawForTwo();
    if (isOtherGame) this.#begin(this.seed);
    else {
      this.#link();
      this.#forget();
      this.advice.end();
      if (this.state) this.#goOn();
    }
  }

  #begin(seed) {
    this.seed = seed;
    this.seedField.value = seed;
    this.moves = "";
    this.pause();
    this.open();
  }

  /** Shows the game from its settings, seed and moves. */
  open() {
    this.opening = this.#open();
    return this.opening;
  }

  #forget() {
    this.hasFailed = false;
    this.problem.classList.add("hidden");
  }

  async #open() {
    this.turn.next();
    this.search.end();
    this.advice.end();
    this.#link();
    this.#forget();
    this.board.element.classList.toggle("round", this.isForTwo);
    try {
      const state = await this.#after(this.moves, true);
      this.history = state.history;
      this.#show(state, null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #after(moves, history = false) {
    const { player } = question(this.chosen);
    const seed = this.isForTwo && !this.hasOpening ? null : this.seed;
    return ask("/api/games", { player, seed, moves, history }, this.turn.signal);
  }

  #show(state, name) {
    this.state = state;
    this.advice.end();
    this.board.pace = !this.isPlaying || SPEEDS[this.speed] <= 8 ? SLIDE : SPEEDS[this.speed] === Infinity ? 0 : 1000 / SPEEDS[this.speed] / 2;
    this.board.show(state, name !== null);
    this.shownAt = performance.now();
    this.#showScores();
    this.#showMoves(name);
    this.#say(name);
    const isOver = state.ended !== null;
    this.undo.disabled = this.moves.length === 0;
    for (const button of [this.hint, this.step, this.run, this.toEnd]) button.disabled = isOver;
    if (isOver) this.pause();
    this.status.classList.toggle("over", isOver);
    for (const [link, page] of [[this.askLink, "ask"], [this.labLink, "lab"]]) link.href = `#/${page}?${new URLSearchParams({ ...toParams(this.chosen), position: JSON.stringify(state.position) })}`;
    this.#goOn();
  }

  /** Makes a move by its name after the one on its way, and only in this state if one is given. */
  #make(name, only = null) {
    const made = this.making.then(() => this.#makeNow(name, only));
    // What has failed is told to its caller; the next move is not.
    this.making = made.catch(() => {});
    return made;
  }

  async #makeNow(name, only) {
    let opening;
    do {
      ({ opening } = this);
      await opening;
    } while (opening !== this.opening);
    const before = this.state;
    if (only !== null && only !== before) return false;
    const index = before.moves.indexOf(name);
    if (index < 0 || !before.legal[index]) return false;
    const moves = this.moves + index.toString(36);
    const state = await this.#after(moves);
    if (before !== this.state) return false;
    this.#forget();
    this.moves = moves;
    this.history.push(state.counts);
    this.#show(state, name);
    return true;
  }

  /** A move of a person. Moves that are made faster than the server answers wait. */
  async #person(name) {
    if (!this.state) return;
    if (this.isPlaying) this.pause();
    this.waiting.push(name);
    this.waiting.splice(0, this.waiting.length - WAITING);
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await this.opening;
      while (this.waiting.length > 0 && !this.state.ended && this.seat === "person") await this.#make(this.waiting.shift());
    } catch (error) {
      this.#fail(error);
    } finally {
      this.isBusy = false;
      this.waiting = [];
    }
  }

  /** Takes the last move back; against the player up to the last move of the person. */
  undoMove() {
    this.pause();
    let end = this.moves.length - 1;
    // Player 1 makes the first move.
    const isPlayers = () => this.isForTwo && this.seats.includes("person") && this.seats[end % 2] === "player";
    while (end > 0 && isPlayers()) end -= 1;
    this.moves = this.moves.slice(0, Math.max(0, end));
    this.open();
  }

  // ---- the player

  #advise(signal) {
    return ask("/api/advise", { ...question(this.chosen), position: this.state.position, costs: true }, signal);
  }

  async #hint() {
    if (!this.state || this.state.ended) return;
    try {
      const answer = await this.#advise(this.advice.next());
      this.board.value(answer, !this.hasValues);
      this.status.textContent = answer.move === null ? "The player has no move." : `Hint: ${this.isForTwo ? "column " : ""}${answer.move}${costOf(answer, answer.move)}`;
    } catch (error) {
      this.#fail(error);
    }
  }

  async #showValues() {
    if (!this.state) return;
    if (!this.hasValues) return this.board.value(null);
    try {
      const answer = await this.#advise(this.advice.next());
      if (this.hasValues) this.board.value(answer);
    } catch (error) {
      this.#fail(error);
    }
    return undefined;
  }

  /** What follows from a state: the player moves if it is its turn, or values are shown. */
  #goOn() {
    if (this.#isPlayersTurn()) this.#run();
    else if (this.hasValues && !this.state.ended) this.#showValues();
  }

  #isPlayersTurn() {
    return this.isOpen && !this.hasFailed && this.state !== null && !this.state.ended && (this.isPlaying || this.seat === "player");
  }

  #toggle() {
    if (this.isPlaying || !this.state || this.state.ended) return this.pause();
    this.isPlaying = true;
    this.hasFailed = false;
    this.run.textContent = "Pause";
    // Nobody listens to many moves a second.
    this.status.setAttribute("aria-live", "off");
    return this.#goOn();
  }

  /** The player plays the rest of the game as fast as it can. */
  #playToEnd() {
    this.speed = SPEEDS.length - 1;
    this.slider.value = this.speed;
    this.#showSpeed();
    if (!this.isPlaying) this.#toggle();
  }

  /** The player stops, also inside of a move. */
  pause() {
    this.isPlaying = false;
    this.search.end();
    this.run.textContent = LET_IT_PLAY;
    this.status.setAttribute("aria-live", "polite");
  }

  /** The player makes moves as long as it is its turn. */
  async #run() {
    if (this.isRunning) return;
    this.isRunning = true;
    while (this.#isPlayersTurn()) {
      await this.opening;
      await this.#playersMove(() => this.#isPlayersTurn());
    }
    this.isRunning = false;
  }

  async #stepOnce() {
    this.pause();
    if (this.isRunning || !this.state || this.state.ended) return;
    this.isRunning = true;
    await this.#playersMove(() => true);
    this.isRunning = false;
    this.#goOn();
  }

  /** One move of the player. Its values are shown before it is made. */
  async #playersMove(isWanted) {
    const { state } = this;
    try {
      const answer = await this.#advise(this.search.next());
      if (state !== this.state) return;
      if (answer.left !== undefined) throw new Error(OWN_BOARD);
      if (answer.move === null) throw new Error("The player has no move.");
      this.board.value(answer, !this.hasValues);
      await this.#waitForTurn(isWanted);
      if (state === this.state && isWanted()) await this.#make(String(answer.move), state);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Waits until the last move was seen long enough. The speed can be changed in between. */
  async #waitForTurn(isWanted) {
    const pause = () => (this.isPlaying ? 1000 / SPEEDS[this.speed] : AGAINST);
    const rest = () => this.shownAt + pause() - performance.now();
    while (rest() > 0 && isWanted()) {
      await new Promise((resume) => { setTimeout(resume, Math.min(rest(), 100)); });
    }
  }

  // ---- keys

  #key(event) {
    // A page that is left while it waits for its first answer is closed later.
    if (!this.element.isConnected) return;
    if (event.target.closest("input:not([type='checkbox']), select, textarea, summary")) return;
    const isControl = event.target.closest("button, a, input") !== null;
    const name = moveOfKey(event);
    if (event.key === " " && !isControl) this.#toggle();
    else if (event.key === "u" || event.key === "Backspace") this.undo.disabled || this.undoMove();
    else if (event.key === "?") this.#hint();
    else if (event.key === "n") this.#stepOnce();
    else if (name && this.state?.moves.includes(name)) this.#person(name);
    else return;
    event.preventDefault();
  }

  close() {
    this.isOpen = false;
    document.removeEventListener("keydown", this.onkey);
    this.turn.end();
    this.advice.end();
    this.pause();
    kept = { params: Object.fromEntries(this.#params(true)) };
  }
}

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params, link) {
  const known = await load();
  const wanted = Object.keys(params).length === 0 && kept ? kept.params : params;
  const play = new Play(known, wanted, link);
  place.append(element("h1", { class: "unseen" }, "Play"), play.element);
  await play.open();
  return () => play.close();
}
