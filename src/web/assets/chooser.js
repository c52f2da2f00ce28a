// Game, board, player, weights and options: the same fields for all pages that ask a player.

import { ask } from "./api.js";
import { choice, element, field, titled } from "./dom.js";

/** Games with their players, and the weights of the results folder. */
export async function load() {
  const [games, weights] = await Promise.all([ask("/api/games"), ask("/api/weights")]);
  return { games, weights };
}

/** What a link says about game and player; what it leaves out, or says wrongly, has the usual value. */
export function fromParams({ games, weights }, params) {
  const game = games.find(({ name }) => name === params.game) ?? games[0];
  const found = weights.find((one) => one.name === params.weights && one.game === game.name);
  const wanted = params.player ?? found?.player;
  const player = game.players.find(({ name }) => name === wanted) ?? game.players[0];
  const options = {};
  for (const option of player.options) {
    if (params[option.key] !== undefined) options[option.key] = valueOf(option, params[option.key]);
  }
  return { game: game.name, player: player.name, weights: params.weights ?? "", options };
}

/** The same as parameters of a link. */
export function toParams(chosen) {
  const params = { game: chosen.game, player: chosen.player };
  if (chosen.weights) params.weights = chosen.weights;
  return { ...params, ...chosen.options };
}

/** The player as the server expects it. */
export function question(chosen) {
  const asked = { player: { name: chosen.player, game: chosen.game, ...chosen.options } };
  if (chosen.weights) asked.weights = chosen.weights;
  return asked;
}

/** What a list says about weights: for those that ship with the program the depth that they were tuned for. */
function label({ name, is_shipped: isShipped, options, has_own_terms: hasOwnTerms, has_default_weights: hasDefaults }) {
  if (isShipped) {
    const depth = options?.depth;
    if (depth === undefined) return name;
    return `${name} (tuned for ${depth === "adaptive" ? "adaptive depth" : `depth ${depth}`})`;
  }
  if (hasDefaults) return `${name} (heuristic, default weights)`;
  return hasOwnTerms ? `${name} (own terms)` : name;
}

function valueOf(option, text) {
  if (option.kind === "switch") return text === "true";
  if (option.kind === "choice" || option.kind === "text" || text === "adaptive" || text.trim() === "") return text;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** What options mean, on demand: a hint that needs a mouse to be read is none. */
export function meanings(options) {
  if (options.length === 0) return [];
  const pairs = options.flatMap(({ key, about }) => [element("dt", {}, titled(key)), element("dd", { class: "quiet" }, `${about}.`)]);
  return [element("details", { class: "small" }, element("summary", {}, "What the options mean"), element("dl", { class: "meanings" }, pairs))];
}

/** Fields for what `chosen` holds. `onchange` is called with `true` if the game or its board is another one. */
export class Chooser {
  constructor(known, chosen, onchange) {
    this.known = known;
    this.chosen = chosen;
    this.onchange = onchange;
    this.element = element("div", { class: "tight" });
    /** Names of the shipped weights that have a meaning on a board, by player and board. */
    this.fitting = new Map();
    this.#draw();
  }

  get game() {
    return this.known.games.find(({ name }) => name === this.chosen.game);
  }

  get player() {
    return this.game.players.find(({ name }) => name === this.chosen.player);
  }

  #set(change, isOtherGame = false) {
    Object.assign(this.chosen, change);
    this.#draw();
    this.onchange(isOtherGame);
  }

  /** The options of a board stay when the player changes. */
  #optionsOfBoard(options = this.chosen.options) {
    const keys = this.player.options.filter(({ changes }) => changes === "board").map(({ key }) => key);
    return Object.fromEntries(Object.entries(options).filter(([key]) => keys.includes(key)));
  }

  #chooseGame(name) {
    const { players } = this.known.games.find((game) => game.name === name);
    this.#set({ game: name, player: players[0].name, weights: "", options: {} }, true);
  }

  /** The weights of the player: the strongest shipped ones of its depth, published ones, other shipped ones, files. */
  #choices() {
    const { game, player } = this;
    const depth = this.chosen.options.depth ?? player.options.find(({ kind }) => kind === "depth")?.default;
    const known = this.#fitting();
    const fitting = this.known.weights.filter((one) => one.game === game.name && one.player === player.name && (!one.is_shipped || !known || known.includes(one.name)));
    const best = fitting.find((one) => one.is_shipped && one.options?.depth === depth);
    // Tuned weights come before the published ones, those that ship before those of the folder.
    const isTuned = (one) => one.is_shipped && one.options !== null;
    const rest = fitting.filter((one) => one !== best && !isTuned(one));
    const tuned = fitting.filter((one) => one !== best && isTuned(one));
    const pairs = (list) => list.map((one) => [one.name, label(one)]);
    return [...pairs(best ? [best] : []), ...pairs(tuned), ["", "published"], ...pairs(rest)];
  }

  /** The shipped weights that fit the board, as far as that is known. On the usual board all do. */
  #fitting() {
    const board = this.#optionsOfBoard();
    if (!this.player.has_weights || Object.keys(board).length === 0) return null;
    const player = { name: this.player.name, game: this.game.name, ...board };
    const key = JSON.stringify(player);
    if (!this.fitting.has(key)) {
      this.fitting.set(key, null);
      ask("/api/weights/fitting", { player }).then((names) => {
        this.fitting.set(key, names);
        this.#draw();
      }, () => {});
    }
    return this.fitting.get(key);
  }

  #chooseWeights(name) {
    const { game, player } = this;
    const found = this.known.weights.find((one) => one.name === name && one.game === game.name && one.player === player.name);
    // Weights for another board than the usual one bring it along; it is a text.
    const isKnown = (key) => this.player.options.some((option) => option.key === key && (option.changes === "player" || option.kind === "text"));
    const tuned = Object.entries(found?.options ?? {}).filter(([key]) => isKnown(key));
    const board = this.#optionsOfBoard();
    const options = { ...(found ? board : this.chosen.options), ...Object.fromEntries(tuned) };
    const isOtherBoard = JSON.stringify(this.#optionsOfBoard(options)) !== JSON.stringify(board);
    this.#set({ weights: name, options }, isOtherBoard);
  }

  #option(option) {
    const value = this.chosen.options[option.key] ?? option.default;
    const change = (text) => {
      const given = valueOf(option, text);
      const options = { ...this.chosen.options };
      if (text === "" || given === option.default) delete options[option.key];
      else options[option.key] = given;
      this.#set({ options }, option.changes === "board");
    };
    const attributes = { title: option.about, name: option.key };
    const label = titled(option.key);
    if (option.kind === "depth") {
      const depths = Array.from({ length: option.most - option.least + 1 }, (_, index) => String(index + option.least));
      if (option.adaptive) depths.push("adaptive");
      return field(label, choice(depths.map((depth) => [depth, depth]), String(value), change, attributes));
    }
    if (option.kind === "switch") return field(label, choice([["true", "yes"], ["false", "no"]], String(value), change, attributes));
    if (option.kind === "choice") return field(label, choice(option.names.map((name) => [name, name]), value, change, attributes));
    const isText = option.kind === "text";
    const input = { inputmode: isText ? "text" : "decimal", size: Math.max(8, isText ? String(option.default).length + 4 : 0) };
    if (isText) Object.assign(input, { placeholder: option.form, spellcheck: "false" });
    return field(label, element("input", { ...attributes, ...input, value, autocomplete: "off", onchange: (event) => change(event.target.value) }));
  }

  #draw() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement.name : null;
    const isOpen = this.element.querySelector("details.more")?.open ?? false;
    const { games } = this.known;
    const { game, player } = this;
    const choices = this.#choices();
    const { weights: chosen } = this.chosen;
    if (!choices.some(([name]) => name === chosen)) choices.push([chosen, `${chosen} (not for this board, or not found)`]);
    const pairs = (list) => list.map(({ name }) => [name, name]);
    const fields = [
      field("Game", choice(pairs(games), game.name, (name) => this.#chooseGame(name), { name: "game" })),
      field("Player", choice(pairs(game.players), player.name, (name) => this.#set({ player: name, weights: "", options: this.#optionsOfBoard() }), { name: "player" })),
    ];
    if (player.has_weights) {
      const weights = field("Weights", choice(choices, chosen, (name) => this.#chooseWeights(name), { name: "weights" }));
      // Names of files are long.
      if (choices.length > 1) weights.classList.add("wide");
      fields.push(weights);
    }
    const isMain = ({ kind, changes }) => kind === "depth" || changes === "board";
    fields.push(...player.options.filter(isMain).map((option) => this.#option(option)));
    const more = player.options.filter((option) => !isMain(option)).map((option) => this.#option(option));
    const parts = [element("div", { class: "fields" }, fields)];
    if (more.length > 0) parts.push(element("details", { class: "more", open: isOpen }, element("summary", { class: "small" }, "More options of this player"), element("div", { class: "fields" }, more)));
    parts.push(element("p", { class: "quiet small" }, player.about));
    parts.push(...meanings(player.options));
    this.element.replaceChildren(...parts);
    if (focused) this.element.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
  }
}
