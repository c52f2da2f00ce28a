// What the page of a 2048 shows, after a key if one is given. This text is one expression, a function of
//   key     "up", "down", "left" or "right", or null
//   frames  how many frames of animation to wait before the page is read; 0 to read it at once
//   resume  whether to press the page's button "Keep going" first
(function (key, frames, resume) {
  const codes = { left: 37, up: 38, right: 39, down: 40 };

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
    const cells = [];
    for (let y = 0; y < columns.length; y++) {
      for (const column of columns) cells.push(tile(column[y] && column[y].value));
    }
    return {
      cells,
      score: tile(state.score),
      won: state.won === true,
      over: state.over === true,
      keepPlaying: state.keepPlaying === true,
    };
  }

  function tile(value) {
    return Number.isSafeInteger(value) && value > 0 ? value : 0;
  }

  // The tiles as elements of the page, row by row; null without a place for them. A tile and the two that
  // it was made of stand in the same cell: the largest counts.
  function shown() {
    if (!document.querySelector(".tile-container")) return null;
    const tiles = [];
    for (const element of document.querySelectorAll(".tile-container .tile")) {
      const place = /tile-position-([1-9]\d?)-([1-9]\d?)(?:\s|$)/.exec(element.className);
      const value = /tile-(\d+)(?:\s|$)/.exec(element.className);
      if (place && value) tiles.push([place[1] - 1, place[2] - 1, Number(value[1])]);
    }
    const side = Math.max(4, ...tiles.map(([x, y]) => Math.max(x, y) + 1));
    const cells = Array(side * side).fill(0);
    for (const [x, y, value] of tiles) {
      const cell = side * y + x;
      cells[cell] = Math.max(cells[cell], tile(value));
    }
    return cells;
  }

  function read(everything) {
    const game = stored();
    const message = document.querySelector(".game-message");
    const score = document.querySelector(".score-container");
    const has = (name) => message !== null && message.classList.contains(name);
    return {
      stored: game,
      shown: everything || game === null ? shown() : null,
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

  if (resume) {
    const button = document.querySelector(".keep-playing-button");
    if (button) button.click();
  }
  if (key !== null) {
    const name = "Arrow" + key[0].toUpperCase() + key.slice(1);
    const press = { key: name, code: name, keyCode: codes[key], which: codes[key] };
    const event = new KeyboardEvent("keydown", { ...press, bubbles: true, cancelable: true });
    (document.body || document).dispatchEvent(event);
  }
  if (frames === 0) return read(false);
  return (async () => {
    for (let passed = 0; passed < frames; passed++) await frame();
    return read(true);
  })();
})
