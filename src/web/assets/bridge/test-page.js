// A game of 3+3 with the objects of the browser game: `game.grid`, `game.food` and
// `game.controller.buttons.<direction>.trigger("keydown")`. It is there to try the bridge; its start position
// is an assumption, a 1 and a 2 on random cells. Parameters of its address: `seed=N` gives the same tiles again,
// `board=A,..` are the tiles of the start, row by row.
"use strict";

const parameters = new URLSearchParams(location.search);
const random = generator(Number(parameters.get("seed") ?? Date.now()));

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

function choose(of) {
  return of[Math.floor(random() * of.length)];
}

// The cells of the four lines of a direction, each from the side that tiles move to.
function lines(direction) {
  const range = [0, 1, 2, 3];
  const isRow = direction === "left" || direction === "right";
  const along = direction === "left" || direction === "up" ? range : [3, 2, 1, 0];
  return range.map((line) => along.map((step) => (isRow ? 4 * line + step : 4 * step + line)));
}

// A line after a move: adjacent tiles 1 and 2, or equal ones above 2, merge; then what stands behind the first
// gap moves by one cell.
function slid(tiles) {
  const line = [...tiles];
  for (let cell = 0; cell < 3; cell++) {
    const [one, two] = [line[cell], line[cell + 1]];
    if ((one > 2 && one === two) || (one + two === 3 && one * two === 2)) {
      line[cell] = one + two;
      line[cell + 1] = 0;
      cell++;
    }
  }
  const gap = line.indexOf(0);
  return gap < 0 ? line : [...line.slice(0, gap), ...line.slice(gap + 1), 0];
}

// The grid after a move, before the next tile; null for an illegal move.
function moved(grid, direction) {
  const after = [...grid];
  for (const line of lines(direction)) {
    slid(line.map((cell) => grid[cell])).forEach((tile, step) => (after[line[step]] = tile));
  }
  return after.every((tile, cell) => tile === grid[cell]) ? null : after;
}

const directions = ["left", "right", "up", "down"];

// Before it begins, a game has an empty grid.
const game = {
  grid: [],
  food: 1,
  controller: {
    buttons: Object.fromEntries(
      directions.map((direction) => [
        direction,
        { trigger: (event) => event === "keydown" && move(direction) },
      ]),
    ),
  },
};
window.game = game;

function begin() {
  const given = parameters.get("board");
  const grid = given === null ? Array(16).fill(0) : given.split(",").map(Number);
  if (given === null) {
    for (const tile of [1, 2]) grid[choose([...grid.keys()].filter((cell) => grid[cell] === 0))] = tile;
  }
  game.grid = grid;
  game.food = 1;
  draw();
}

// The next tile appears in an empty last cell of the side that was moved away from.
function move(direction) {
  const grid = moved(game.grid, direction);
  if (grid === null) return;
  const cell = choose(lines(direction).map((line) => line[3]).filter((last) => grid[last] === 0));
  grid[cell] = game.food;
  game.grid = grid;
  game.food = 3 - game.food;
  draw();
}

// As in Threes: a tile 3·2^k is worth 3^(k+1).
function score() {
  const points = (tile) => (tile < 3 ? 0 : 3 ** (Math.log2(tile / 3) + 1));
  return game.grid.reduce((sum, tile) => sum + points(tile), 0);
}

function draw() {
  const isOver = directions.every((direction) => moved(game.grid, direction) === null);
  const cells = game.grid.map((tile) => {
    const cell = document.createElement("div");
    cell.textContent = tile === 0 ? "\u00a0" : tile;
    cell.className = tile === 0 ? "empty" : "";
    return cell;
  });
  document.querySelector("#board").replaceChildren(...cells);
  document.querySelector("#food").textContent = game.food;
  document.querySelector("#score").textContent = score();
  document.querySelector("#state").textContent = isOver ? "over" : "in play";
}

document.addEventListener("keydown", (event) => {
  const direction = event.key.replace("Arrow", "").toLowerCase();
  if (directions.includes(direction)) {
    event.preventDefault();
    move(direction);
  }
});
document.querySelector("#buttons").addEventListener("click", ({ target }) => {
  if (target.value === "new") begin();
  else if (target.value) move(target.value);
});

begin();
