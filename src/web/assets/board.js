// The board of any game: cells, tiles that slide, and a button for every move with its value. The server says how
// cells look, what moved, and which moves there are; no rule of a game stands here.

import { brief, difference, element, exact } from "./dom.js";

const ARROWS = { up: "↑", down: "↓", left: "←", right: "→" };
const KEYS = {
  ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
  w: "up", s: "down", a: "left", d: "right", k: "up", j: "down", h: "left", l: "right",
};
/** Pixels after which a movement of a finger is a swipe. */
const SWIPE = 24;

/** The move of a key: a direction, or a column by its digit. */
export function moveOfKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  if (/^[1-9]$/.test(event.key)) return event.key;
  return KEYS[event.key] ?? KEYS[event.key.toLowerCase()] ?? null;
}

export class Board {
  /**
   * `onmove` gets the name of a move. `oncell` gets the number of a cell; with it every cell is a button.
   */
  constructor({ onmove, oncell, label }) {
    this.onmove = onmove;
    this.oncell = oncell;
    this.label = label;
    this.cells = element("div", { class: "cells" });
    this.tiles = element("div", { class: "tiles", "aria-hidden": "true" });
    this.frame = element("div", { class: "frame" }, this.cells, this.tiles);
    this.moves = element("div", { class: "moves" });
    this.footer = element("div", { class: "footer", "aria-hidden": "true" });
    this.element = element("div", { class: "board" }, this.moves, this.frame, this.footer);
    /** The tile of each cell. */
    this.held = [];
    this.size = "";
    this.buttons = new Map();
    this.#listen();
  }

  #listen() {
    let start = null;
    const frame = this.frame;
    frame.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX, y: event.clientY, id: event.pointerId };
    });
    frame.addEventListener("pointerup", (event) => {
      if (start?.id !== event.pointerId) return;
      const [x, y] = [event.clientX - start.x, event.clientY - start.y];
      start = null;
      if (this.control === "columns" && this.onmove) {
        const box = frame.getBoundingClientRect();
        const column = Math.floor(((event.clientX - box.left) / box.width) * this.columns);
        if (column >= 0 && column < this.columns) this.onmove(String(column + 1));
      } else if (this.onmove && Math.max(Math.abs(x), Math.abs(y)) >= SWIPE) {
        const isFlat = Math.abs(x) > Math.abs(y);
        this.onmove(isFlat ? (x > 0 ? "right" : "left") : y > 0 ? "down" : "up");
      }
    });
    frame.addEventListener("pointercancel", () => { start = null; });
    this.cells.addEventListener("focusin", ({ target }) => {
      for (const cell of this.cells.children) cell.tabIndex = cell === target ? 0 : -1;
    });
  }

  /** Milliseconds that a tile needs to slide. */
  set pace(milliseconds) {
    this.slide = milliseconds;
    this.frame.style.setProperty("--slide", `${milliseconds}ms`);
  }

  /** Shows a state of the server. With `isMoved` tiles slide as the state says. */
  show(state, isMoved = false) {
    const { grid } = state;
    this.grid = grid;
    const rows = grid.cells.length / grid.columns;
    const size = `${rows}x${grid.columns}`;
    this.control = state.control;
    this.columns = grid.columns;
    this.element.dataset.control = state.control ?? "none";
    if (size !== this.size) this.#layOut(grid, rows, size);
    if (isMoved && this.slide > 0) this.#slideTiles(state);
    else this.#place(grid);
    const won = new Set(state.ended?.cells ?? []);
    this.held.forEach((tile, cell) => tile?.classList.toggle("won", won.has(cell)));
    this.#describe(grid, rows);
    if (state.moves) this.#showMoves(state);
  }

  #layOut(grid, rows, size) {
    this.size = size;
    this.tiles.replaceChildren();
    this.held = [];
    for (const [name, value] of [["--columns", grid.columns], ["--rows", rows], ["--frame", grid.frame]]) {
      this.element.style.setProperty(name, value);
    }
    const number = grid.cells.length;
    // One of the cells is reached with Tab, the others with arrows.
    const cell = (index) => (this.oncell
      ? element("button", { type: "button", class: "cell", tabindex: index === 0 ? 0 : -1, onclick: (event) => this.oncell(index, event) })
      : element("div", { class: "cell" }));
    this.cells.replaceChildren(...Array.from({ length: number }, (_, index) => cell(index)));
    this.footer.replaceChildren(...grid.footer.map((text) => element("span", {}, text)));
    this.footer.classList.toggle("hidden", grid.footer.length === 0);
  }

  /** Puts a tile on every cell that has a text, without motion. */
  #place(grid) {
    for (const tile of [...this.tiles.children]) if (!this.held.includes(tile)) tile.remove();
    grid.cells.forEach((cell, index) => {
      if (cell.text === "") {
        this.held[index]?.remove();
        this.held[index] = undefined;
      } else {
        this.held[index] ??= this.#made(index);
        this.held[index].classList.remove("appeared", "merged");
        this.#paint(this.held[index], cell, index);
      }
    });
    this.#empty(grid);
  }

  #slideTiles({ grid, moved, appeared }) {
    const before = this.held;
    const arrivals = grid.cells.map(() => []);
    const left = new Set(moved.map(([from]) => from));
    before.forEach((tile, cell) => { if (tile && !left.has(cell)) arrivals[cell].push(tile); });
    for (const [from, to] of moved) if (before[from]) arrivals[to].push(before[from]);
    this.held = grid.cells.map((cell, index) => {
      const [first, ...others] = arrivals[index];
      if (cell.text === "") {
        arrivals[index].forEach((tile) => tile.remove());
        return undefined;
      }
      if (first && others.length === 0) {
        first.classList.remove("appeared", "merged");
        this.#paint(first, cell, index);
        return first;
      }
      for (const tile of arrivals[index]) this.#leave(tile, index);
      const tile = this.#made(index);
      tile.classList.add(appeared.includes(index) || !first ? "appeared" : "merged");
      this.#paint(tile, cell, index);
      return tile;
    });
    this.#empty(grid);
  }

  /** A tile that merges slides below the merged one and is gone then. */
  #leave(tile, index) {
    tile.classList.remove("appeared", "merged");
    tile.classList.add("leaving");
    this.#move(tile, index);
    setTimeout(() => tile.remove(), this.slide);
  }

  #made(index) {
    const tile = element("div", { class: "tile" }, element("span", {}));
    this.#move(tile, index);
    this.tiles.append(tile);
    return tile;
  }

  #move(tile, index) {
    const [row, column] = [Math.floor(index / this.columns), index % this.columns];
    tile.style.setProperty("--row", row);
    tile.style.setProperty("--column", column);
  }

  #paint(tile, cell, index) {
    this.#move(tile, index);
    const face = tile.firstChild;
    if (face.textContent !== cell.text) face.textContent = cell.text;
    face.style.backgroundColor = cell.ground;
    face.style.color = cell.ink;
    tile.style.setProperty("--length", Math.max(cell.text.length, 2));
  }

  /** The colour of cells without a tile, as the server gives it. */
  #empty(grid) {
    const empty = grid.cells.find((cell) => cell.text === "");
    if (empty) this.element.style.setProperty("--empty", empty.ground);
  }

  /** The board in words. */
  #describe(grid, rows) {
    const named = (cell) => ({ "": "empty", "●": "red", "○": "yellow" })[cell.text] ?? cell.text;
    if (this.oncell) {
      [...this.cells.children].forEach((button, index) => {
        const [row, column] = [Math.floor(index / grid.columns) + 1, (index % grid.columns) + 1];
        button.setAttribute("aria-label", `row ${row}, column ${column}: ${named(grid.cells[index])}`);
      });
      return;
    }
    const row = (number) => grid.cells.slice(number * grid.columns, (number + 1) * grid.columns).map(named).join(", ");
    const words = Array.from({ length: rows }, (_, number) => `row ${number + 1}: ${row(number)}`);
    this.frame.setAttribute("role", "img");
    this.frame.setAttribute("aria-label", `${this.label}. ${words.join("; ")}`);
  }

  #showMoves({ moves, legal, control }) {
    const names = moves.join(" ");
    if (this.names !== names) {
      this.names = names;
      this.buttons = new Map(moves.map((name) => [name, this.#button(name, control)]));
      this.moves.replaceChildren(...this.buttons.values());
    }
    moves.forEach((name, index) => { this.buttons.get(name).disabled = !legal[index] || !this.onmove; });
    this.value(null);
  }

  #button(name, control) {
    const sign = control === "columns" ? "▼" : ARROWS[name] ?? name;
    const texts = [element("span", { "aria-hidden": "true" }, sign), element("b", { "aria-hidden": "true" }), element("span", { class: "unseen" })];
    return element("button", { type: "button", class: `move ${control === "columns" ? "" : name}`, onclick: () => this.onmove?.(name) }, texts);
  }

  /** Draws the values of an answer of a player at the moves; `null` draws none. */
  value(answer, isHint = false) {
    const best = answer?.move === null || answer?.move === undefined ? null : String(answer.move);
    const values = answer?.values ?? {};
    const numbers = Object.values(values).filter((value) => typeof value === "number");
    const top = numbers.length > 0 ? Math.max(...numbers) : 0;
    let index = 0;
    for (const [name, button] of this.buttons) {
      const value = Array.isArray(values) ? values[index] : values[name];
      const text = answer && !isHint ? difference(value, top, this.control === "columns" ? brief : exact) : "";
      // What the move loses against perfect play, where the board is solved.
      const cost = isHint ? 0 : answer?.costs?.[name] ?? 0;
      const [, shown, spoken] = button.children;
      shown.textContent = cost > 0 ? `${text} (−${brief(cost)})` : text;
      button.classList.toggle("best", name === best);
      const kind = this.control === "columns" ? `column ${name}` : name;
      const words = [kind, text && `${name === best ? "" : "against the best move "}${text}`, cost > 0 && `costs ${brief(cost)} points`, name === best && "the player's move"].filter(Boolean);
      spoken.textContent = words.join(", ");
      index += 1;
    }
  }
}
