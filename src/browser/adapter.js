// Makes of the functions of a page adapter what page.js is: a function of key, frames and command that reads the page. This text
// is one expression, a function of an object with `read`, `press` and `restart`, each null if the adapter lacks it.
(function (adapter) {
  for (const name of ["read", "press"]) {
    if (adapter[name] === null) throw new Error(`the page adapter has no function ${name}`);
  }

  function isGiven(value) {
    return value !== null && value !== undefined && value !== "";
  }

  function whole(value, what) {
    const number = isGiven(value) ? Number(value) : 0;
    if (Number.isSafeInteger(number) && number >= 0) return number;
    throw new Error(`read() of the page adapter gives ${what} ${value}, and a whole number is needed`);
  }

  // The rows of an answer of read().
  function board(rows) {
    const isBoard = Array.isArray(rows) && rows.length > 0 && rows.every(Array.isArray);
    const columns = isBoard ? rows[0].length : 0;
    if (columns === 0 || rows.some((row) => row.length !== columns)) {
      throw new Error("read() of the page adapter must give { board: rows of equal length }");
    }
    return { rows: rows.length, columns, tiles: rows.flat().map((one) => whole(one, "the tile")) };
  }

  return async function (key, frames, command) {
    if (command === "restart") {
      if (adapter.restart === null) throw new Error("the page adapter has no function restart");
      await adapter.restart();
    }
    if (key !== null) await adapter.press(key);
    for (let passed = 0; passed < frames; passed++) {
      await new Promise((next) => {
        const late = setTimeout(next, 100);
        requestAnimationFrame(() => {
          clearTimeout(late);
          next();
        });
      });
    }
    const state = await adapter.read();
    const isGame = state !== null && state !== undefined;
    return {
      stored: null,
      shown: isGame ? board(state.board) : null,
      shows: isGame,
      score: isGame && isGiven(state.score) ? whole(state.score, "the score") : null,
      over: isGame && state.over === true,
      won: false,
      loads: document.readyState !== "complete" || performance.now() < 1000,
    };
  };
})
