// What the page of a 2048 shows, after a key if one is given. This text is one expression, a function of
//   key      "up", "down", "left" or "right", or null
//   frames   how many frames of animation to wait before the page is read; 0 to read it at once
//   command  what is done first: "resume" presses the page's button "Keep going", "restart" begins another game, or null
(function (key, frames, command) {
  const codes = { left: 37, up: 38, right: 39, down: 40, r: 82 };

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

  function isVisible(element) {
    return element.getClientRects().length > 0;
  }

  // The place of the tiles, if the page shows one.
  function container() {
    const all = [...document.querySelectorAll(".tile-container")];
    return all.find(isVisible) ?? null;
  }

  // Rows and columns of the board: those of the page's grid, else of the stored game if it has room for these tiles. A board
  // without either is at least 4 x 4.
  function size(game, tiles) {
    const rows = [...document.querySelectorAll(".grid-container .grid-row")];
    const counts = rows.map((row) => row.querySelectorAll(".grid-cell").length);
    const columns = Math.max(0, ...counts);
    if (columns > 0) return [rows.length, columns];
    const side = Math.sqrt(document.querySelectorAll(".grid-container .grid-cell").length);
    if (side > 0 && Number.isInteger(side)) return [side, side];
    const least = (place) => Math.max(0, ...tiles.map((one) => one[place] + 1));
    const [width, height] = [least(0), least(1)];
    if (game !== null && game.board.rows >= height && game.board.columns >= width) {
      return [game.board.rows, game.board.columns];
    }
    const both = Math.max(4, width, height);
    return [both, both];
  }

  // The tiles as elements of the page, row by row; null without a place for them. A tile and the two that
  // it was made of stand in the same cell: the largest counts.
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
    const cells = Array(rows * columns).fill(0);
    for (const [x, y, value] of tiles) {
      if (x >= columns || y >= rows) continue;
      const cell = columns * y + x;
      cells[cell] = Math.max(cells[cell], tile(value));
    }
    return { rows, columns, tiles: cells };
  }

  function read(everything) {
    const game = stored();
    const message = document.querySelector(".game-message");
    const score = document.querySelector(".score-container");
    const has = (name) => message !== null && message.classList.contains(name);
    return {
      stored: game,
      shown: everything || game === null ? shown(game) : null,
      shows: container() !== null,
      score: score ? tile(parseInt(score.textContent, 10)) : 0,
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

  function press(name, code, number) {
    const keys = { key: name, code, keyCode: number, which: number };
    const event = new KeyboardEvent("keydown", { ...keys, bubbles: true, cancelable: true });
    (document.body || document).dispatchEvent(event);
  }

  // Begins another game by the page's own button; without one by the key R.
  function restart() {
    const known = [...document.querySelectorAll(".retry-button, .restart-button, .new-game-button")];
    const words = /^\W*(new game|try again|play again|restart|start over|reset)\W*$/i;
    const others = [...document.querySelectorAll("button, a, [role=button], input[type=button]")];
    const named = others.filter((one) => words.test(one.value || one.textContent));
    const button = [...known, ...named].find(isVisible);
    if (button) button.click();
    else press("r", "KeyR", codes.r);
  }

  if (command === "resume") {
    const button = document.querySelector(".keep-playing-button");
    if (button) button.click();
  }
  if (command === "restart") restart();
  if (key !== null) {
    const name = "Arrow" + key[0].toUpperCase() + key.slice(1);
    press(name, name, codes[key]);
  }
  if (frames === 0) return read(false);
  return (async () => {
    for (let passed = 0; passed < frames; passed++) await frame();
    return read(true);
  })();
})
