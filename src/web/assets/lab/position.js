// An example position: the game after some legal moves.

import { ask } from "../api.js";

/** Number of moves. */
const MOVES = 60;

/** A position of the game of `player`; with `isFixed` always the same one. */
export async function someMoves(player, signal, isFixed = false) {
  const seed = isFixed ? 1 : 1 + Math.floor(Math.random() * 999999);
  let moves = "";
  let state = await ask("/api/games", { player, seed, moves }, signal);
  for (let number = 0; number < MOVES; number += 1) {
    const legal = state.legal.flatMap((isLegal, index) => (isLegal ? [index] : []));
    // Directions in turns keep the large tiles together a little.
    const preferred = isFixed ? [2, 1, 2, 1, 3] : [2, 1, 2, 1, 2, 3];
    const wanted = isFixed ? preferred[number % preferred.length] : preferred[Math.floor(Math.random() * preferred.length)];
    const chosen = state.legal[wanted] ? wanted : legal[number % legal.length];
    const next = await ask("/api/games", { player, seed, moves: moves + chosen.toString(36) }, signal);
    if (next.ended) break;
    state = next;
    moves += chosen.toString(36);
    if (state.control === "columns" && moves.length >= 9) break;
  }
  const { seed: _, ...position } = state.position;
  return position;
}
