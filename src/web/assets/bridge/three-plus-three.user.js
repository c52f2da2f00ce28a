// ==UserScript==
// @name         tiletune plays 3+3
// @namespace    tiletune
// @version      1
// @description  Asks a tiletune on this machine for moves, and presses the buttons of the game.
// @match        https://d29zfk7accxxr5.cloudfront.net/games/game-156/data/*
// @match        http://127.0.0.1/bridge/test-page*
// @connect      127.0.0.1
// @grant        GM_xmlhttpRequest
// @grant        unsafeWindow
// @run-at       document-idle
// ==/UserScript==

// The page has `game.grid` (sixteen tiles, row by row, 0 = empty), `game.food` (the next tile) and
// `game.controller.buttons.left.trigger("keydown")`, also for right, up and down. Before a game begins,
// the first cell is undefined.
(() => {
  "use strict";

  const server = "SERVER";
  const players = {
    "freedom-server": { name: "freedom-server" },
    "expectimax, depth 1": { name: "expectimax", depth: 1 },
    "expectimax, depth 2": { name: "expectimax", depth: 2 },
  };
  // Milliseconds: between two looks at a page that has not changed; until a move that had no effect is made
  // again; for an answer.
  const glance = 50;
  const again = 2000;
  const patience = 60000;

  const page = typeof unsafeWindow === "undefined" ? window : unsafeWindow;

  // The position of the game; null before it begins.
  function position() {
    const { game } = page;
    if (!game || !game.grid || game.grid[0] === undefined) return null;
    return { board: Array.from(game.grid, Number), next: Number(game.food) };
  }

  // Sends JSON and gets JSON. A page of the public network may not reach this machine itself, the userscript
  // manager may; without a manager the browser decides.
  async function ask(body) {
    const url = `${server}/api/advise`;
    const headers = { "Content-Type": "application/json" };
    const data = JSON.stringify(body);
    const answer = await new Promise((resolve, reject) => {
      const fail = (what) => reject(new Error(`${server} ${what}; is \`tiletune serve\` running?`));
      if (typeof GM_xmlhttpRequest === "undefined") {
        fetch(url, { method: "POST", headers, body: data })
          .then(async (response) => resolve({ status: response.status, text: await response.text() }))
          .catch(() => fail("cannot be reached"));
        return;
      }
      GM_xmlhttpRequest({
        method: "POST",
        url,
        headers,
        data,
        timeout: patience,
        onload: ({ status, responseText }) => resolve({ status, text: responseText }),
        onerror: () => fail("cannot be reached"),
        ontimeout: () => fail("does not answer"),
      });
    });
    let json = {};
    try {
      json = JSON.parse(answer.text);
    } catch {
      // The status tells what is wrong.
    }
    if (answer.status !== 200) throw new Error(json.error ?? `${server} answers ${answer.status}`);
    return json;
  }

  let runs = false;
  let moves = 0;
  // The last position for which a move was made, and when.
  let answered = { text: "", at: 0 };

  // Makes a move if the game waits for one. Returns whether it did.
  async function step() {
    const now = position();
    if (now === null) {
      say("waiting for a game");
      return false;
    }
    const text = JSON.stringify(now);
    if (text === answered.text && Date.now() - answered.at < again) return false;
    const player = { game: "three-plus-three", ...players[select.value] };
    const { move } = await ask({ player, position: now });
    // Somebody else has moved, or pressed stop.
    if (!runs || JSON.stringify(position()) !== text) return false;
    if (!move) {
      stop(`no move is left after ${moves} moves`);
      return false;
    }
    answered = { text, at: Date.now() };
    page.game.controller.buttons[move].trigger("keydown");
    moves += 1;
    say(`${moves} moves, last ${move}`);
    return JSON.stringify(position()) !== text;
  }

  async function run() {
    while (runs) {
      let moved = false;
      try {
        moved = await step();
      } catch (error) {
        stop(error.message);
      }
      if (!moved) await new Promise((next) => setTimeout(next, glance));
    }
  }

  function start() {
    runs = true;
    moves = 0;
    answered = { text: "", at: 0 };
    button.textContent = "Stop";
    say("started");
    run();
  }

  function stop(why) {
    runs = false;
    button.textContent = "Start";
    say(why);
  }

  function say(text) {
    status.textContent = text;
  }

  // A small box in the corner: who plays, start and stop, what happens.
  const box = document.createElement("div");
  const select = document.createElement("select");
  const button = document.createElement("button");
  const status = document.createElement("div");
  Object.assign(box.style, {
    position: "fixed",
    right: "8px",
    bottom: "8px",
    zIndex: 2147483647,
    padding: "8px",
    maxWidth: "16em",
    font: "13px sans-serif",
    color: "#222",
    background: "#fff",
    border: "1px solid #888",
    borderRadius: "6px",
  });
  box.id = "tiletune-bridge";
  select.setAttribute("aria-label", "Player");
  for (const name of Object.keys(players)) select.append(new Option(name));
  button.textContent = "Start";
  button.addEventListener("click", () => (runs ? stop("stopped") : start()));
  status.setAttribute("role", "status");
  status.textContent = "tiletune is ready";
  box.append(select, " ", button, status);
  // Keys in the box are not keys of the game.
  box.addEventListener("keydown", (event) => event.stopPropagation());
  document.body.append(box);
})();
