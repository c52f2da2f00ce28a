// What the page of a 2048 shows, after a key if one is given. This text is one expression, a function of
//   key      "up", "down", "left" or "right", or null
//   frames   how many frames of animation to wait before the page is read; 0 to read it at once
//   command  what is done first: "resume" presses the page's button "Keep going", "restart" begins another game, or null
(function (key, frames, command) {
  // The game that the page stores, its cells row by row; null without one.
  function stored() {
    let state;
    try {
      state = JSON.parse(localStorage.getItem("gameState"));
    } catch {
      return null;
    }
    const columns = state && state.grid && state.grid.cells;
    if (!Array.isArray(columns) || !columns.every(Array.isArray)) return null;
    const rows = Math.max(0, ...columns.map((column) => column.length));
    const tiles = [];
    for (let y = 0; y < rows; y++) {
      for (const column of columns) tiles.push(tile(column[y] && column[y].value));
    }
    return {
      board: { rows, columns: columns.length, tiles },
      score: tile(state.score),
      won: state.won === true,
      over: state.over === true,
      keepPlaying: state.keepPlaying === true,
    };
  }

  function tile(value) {
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  }

  // The place of the tiles, if the page shows one.
  function container() {
    const all = [...document.querySelectorAll(".tile-container")];
    return all.find(isVisible) ?? null;
  }

  // The cells of a board with these tiles, row by row. A tile and the two that it was made of stand in the same cell: the
  // largest counts. Null if a tile is outside.
  function filled(rows, columns, tiles) {
    const cells = Array(rows * columns).fill(0);
    for (const [x, y, value] of tiles) {
      if (x >= columns || y >= rows) return null;
      const cell = columns * y + x;
      cells[cell] = Math.max(cells[cell], tile(value));
    }
    return cells;
  }

  // Rows and columns of the page's grid; null if it has none.
  function gridSize() {
    const rows = [...document.querySelectorAll(".grid-container .grid-row")];
    const counts = rows.map((row) => row.querySelectorAll(".grid-cell").length);
    const columns = Math.max(0, ...counts);
    if (columns > 0) return [rows.length, columns];
    const side = Math.sqrt(document.querySelectorAll(".grid-container .grid-cell").length);
    return side > 0 && Number.isInteger(side) ? [side, side] : null;
  }

  // Rows and columns of the board: those of the stored game if it has these tiles, because the grid can be a picture of another
  // size. Else those of the grid, else of the stored game, else at least 4 x 4. No tile is outside.
  function size(game, tiles) {
    const isIn = ([rows, columns]) => filled(rows, columns, tiles) !== null;
    const stored = game === null ? null : [game.board.rows, game.board.columns];
    const isStored = (cells) => cells !== null && cells.join() === game.board.tiles.join();
    if (stored !== null && isStored(filled(...stored, tiles))) return stored;
    const known = [gridSize(), stored].find((one) => one !== null && isIn(one));
    if (known) return known;
    const side = Math.max(4, ...(gridSize() ?? []), ...tiles.map(([x, y]) => Math.max(x, y) + 1));
    return [side, side];
  }

  // The tiles as elements of the page, row by row; null without a place for them.
  function shown(game) {
    const place = container();
    if (place === null) return null;
    const tiles = [];
    for (const element of place.querySelectorAll(".tile")) {
      const cell = /tile-position-([1-9]\d?)-([1-9]\d?)(?:\s|$)/.exec(element.className);
      const value = /tile-(\d+)(?:\s|$)/.exec(element.className);
      if (cell && value) tiles.push([cell[1] - 1, cell[2] - 1, Number(value[1])]);
    }
    const [rows, columns] = size(game, tiles);
    return { rows, columns, tiles: filled(rows, columns, tiles) };
  }

  // The score that the page shows; null if it shows none.
  function score() {
    const element = document.querySelector(".score-container");
    const number = /^\s*(\d[\d,]*)/.exec(element ? element.textContent : "");
    return number ? tile(Number(number[1].replaceAll(",", ""))) : null;
  }

  function read(everything) {
    const game = stored();
    const message = document.querySelector(".game-message");
    const has = (name) => message !== null && message.classList.contains(name);
    return {
      stored: game,
      shown: everything || game === null ? shown(game) : null,
      shows: container() !== null,
      score: score(),
      over: has("game-over"),
      won: has("game-won"),
      // A page that is loaded begins its game a little later.
      loads: document.readyState !== "complete" || performance.now() < 1000,
    };
  }

  // Pages that are not seen have no frames.
  function frame() {
    return new Promise((next) => {
      const late = setTimeout(next, 100);
      requestAnimationFrame(() => {
        clearTimeout(late);
        next();
      });
    });
  }

  if (command === "resume") {
    const button = document.querySelector(".keep-playing-button");
    if (button) button.click();
  }
  if (command === "restart") restart();
  if (key !== null) pressArrow(key, container());
  if (frames === 0) return read(false);
  return (async () => {
    for (let passed = 0; passed < frames; passed++) await frame();
    return read(true);
  })();
})
