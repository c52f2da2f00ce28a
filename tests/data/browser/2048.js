// The game of 2048.html. Parameters of its address:
//   seed=N      the seed of the random tiles (default 1); after a reload the game goes on with other ones
//   board=A,..  the tiles of a new game, row by row
//   goal=N      the tile that wins (default 2048)
//   storage=no  the game is not stored
//   reload=A,.. the page is loaded again after the first move to a score above each of these, if the game goes on
//   size=RxC    rows and columns of the board (default 4x4)
//   grid=RxC    rows and columns of the grid behind the tiles, which can be a picture of another size (default: no grid)
"use strict";

const parameters = new URLSearchParams(location.search);
const goal = Number(parameters.get("goal") ?? 2048);
const [rows, columns] = sizeOf("size") ?? [4, 4];
const isStored = parameters.get("storage") !== "no";
const random = generator(Number(parameters.get("seed") ?? 1));

function sizeOf(name) {
  return parameters.get(name)?.split("x").map(Number);
}

function range(length) {
  return [...Array(length).keys()];
}

// mulberry32: a number from 0 to 1 a call.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The cells of a line in the order in which a move in a direction takes them, by line.
const steps = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function linesOf(key) {
  const [dx, dy] = steps[key];
  const [length, count] = dx === 0 ? [rows, columns] : [columns, rows];
  const along = dx + dy > 0 ? range(length) : range(length).reverse();
  return range(count).map((line) => along.map((step) => (dx === 0 ? [line, step] : [step, line])));
}

// The game: its cells row by row, each a tile or 0.
let game;

function newGame() {
  const given = parameters.get("board");
  const cells = Array(rows * columns).fill(0);
  game = { cells, score: 0, over: false, won: false, keepPlaying: false };
  if (given === null) {
    spawn();
    spawn();
  } else {
    given.split(",").forEach((tile, cell) => (cells[cell] = Number(tile)));
    game.over = !hasMove();
  }
}

// Loads the page again where its parameter says so. Until then it takes no key, so that the game cannot end before.
let isLeaving = false;

function reload() {
  const scores = parameters.get("reload")?.split(",");
  if (!scores || game.over) return;
  const [next, ...later] = JSON.parse(sessionStorage.getItem("reload")) ?? scores;
  if (next === undefined || game.score <= Number(next)) return;
  isLeaving = true;
  sessionStorage.setItem("reload", JSON.stringify(later));
  location.reload();
}

function at([x, y]) {
  return columns * y + x;
}

function spawn() {
  const empty = range(rows * columns).filter((cell) => game.cells[cell] === 0);
  const tile = random() < 0.9 ? 2 : 4;
  game.cells[empty[Math.floor(random() * empty.length)]] = tile;
}

// The tiles of a line after a move, and which of them the move made.
function slid(tiles) {
  const left = tiles.filter((tile) => tile > 0);
  const line = [];
  const made = [];
  while (left.length > 0) {
    const tile = left.shift();
    if (left[0] === tile) {
      made.push(line.length);
      line.push(tile + left.shift());
    } else {
      line.push(tile);
    }
  }
  while (line.length < tiles.length) line.push(0);
  return { line, made };
}

function hasMove() {
  return Object.keys(steps).some((key) =>
    linesOf(key).some((line) => {
      const tiles = line.map((place) => game.cells[at(place)]);
      return slid(tiles).line.some((tile, step) => tile !== tiles[step]);
    }),
  );
}

function move(key) {
  if (isLeaving || game.over || (game.won && !game.keepPlaying)) return;
  let moved = false;
  const merged = [];
  for (const line of linesOf(key)) {
    const tiles = line.map((place) => game.cells[at(place)]);
    const after = slid(tiles);
    line.forEach((place, step) => (game.cells[at(place)] = after.line[step]));
    moved ||= after.line.some((tile, step) => tile !== tiles[step]);
    for (const step of after.made) {
      game.score += after.line[step];
      game.won ||= after.line[step] === goal;
      merged.push(at(line[step]));
    }
  }
  if (!moved) return;
  spawn();
  game.over = !hasMove();
  store();
  draw(merged);
  reload();
}

// The stored game goes by columns. It is deleted when the game is over, and it says that the game goes on
// after the goal only from the next move on.
function store() {
  if (!isStored) return;
  const best = Number(localStorage.getItem("bestScore") ?? 0);
  localStorage.setItem("bestScore", Math.max(best, game.score));
  if (game.over) {
    localStorage.removeItem("gameState");
    return;
  }
  const column = (x) =>
    range(rows).map((y) => {
      const value = game.cells[at([x, y])];
      return value === 0 ? null : { position: { x, y }, value };
    });
  const { score, over, won, keepPlaying } = game;
  const grid = { size: columns, cells: range(columns).map(column) };
  localStorage.setItem("gameState", JSON.stringify({ grid, score, over, won, keepPlaying }));
}

function restored() {
  const state = isStored && JSON.parse(localStorage.getItem("gameState"));
  if (!state) return false;
  const { score, over, won, keepPlaying } = state;
  const cellAt = (cell) => state.grid.cells[cell % columns][Math.floor(cell / columns)];
  const cells = range(rows * columns).map((cell) => cellAt(cell)?.value ?? 0);
  game = { cells, score, over, won, keepPlaying };
  return true;
}

// The elements follow with the next frame of animation. Beside a merged tile stand the two that it was made of.
function draw(merged) {
  const { cells, score, over, won, keepPlaying } = structuredClone(game);
  requestAnimationFrame(() => {
    const container = document.querySelector(".tile-container");
    container.replaceChildren();
    const add = (cell, value, more) => {
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      const tile = document.createElement("div");
      tile.className = `tile tile-${value} tile-position-${x + 1}-${y + 1} ${more}`.trim();
      tile.style.left = `${5 + 100 * x}px`;
      tile.style.top = `${5 + 100 * y}px`;
      tile.textContent = value;
      container.append(tile);
    };
    cells.forEach((value, cell) => {
      if (value === 0) return;
      const isMerged = merged.includes(cell);
      add(cell, value, isMerged ? "tile-merged" : "");
      if (isMerged) [1, 2].forEach(() => add(cell, value / 2, ""));
    });
    const gained = score - parseInt(document.querySelector(".score-container").textContent, 10);
    const shown = document.querySelector(".score-container");
    shown.textContent = score;
    if (gained > 0) {
      const addition = document.createElement("span");
      addition.className = "score-addition";
      addition.textContent = `+${gained}`;
      shown.append(addition);
    }
    document.querySelector(".best-container").textContent = localStorage.getItem("bestScore") ?? 0;
    if (over || (won && !keepPlaying)) {
      const message = document.querySelector(".game-message");
      message.classList.add(over ? "game-over" : "game-won");
      message.querySelector("p").textContent = over ? "Game over!" : "You win!";
    }
  });
}

function clearMessage() {
  document.querySelector(".game-message").classList.remove("game-won", "game-over");
}

function begin() {
  newGame();
  store();
  draw([]);
}

function restart() {
  clearMessage();
  begin();
}

document.addEventListener("keydown", (event) => {
  const key = Object.keys(steps).find((_, index) => event.which === [37, 39, 38, 40][index]);
  if (key === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  move(key);
});
document.querySelector(".restart-button").addEventListener("click", restart);
document.querySelector(".retry-button").addEventListener("click", restart);
document.querySelector(".keep-playing-button").addEventListener("click", () => {
  game.keepPlaying = true;
  clearMessage();
});

const grid = sizeOf("grid");
if (grid) {
  const row = `<div class="grid-row">${'<div class="grid-cell"></div>'.repeat(grid[1])}</div>`;
  const container = document.createElement("div");
  container.className = "grid-container";
  container.innerHTML = row.repeat(grid[0]);
  document.querySelector(".game-container").prepend(container);
}

// As the game itself, the page begins with a frame of animation.
requestAnimationFrame(() => {
  if (restored()) draw([]);
  else begin();
});
