// What a page of a run has besides its results: downloads, commands to copy, and what can be done with it.

import { ask, single } from "./api.js";
import { choice, element, field } from "./dom.js";
import { address, prunedAddress } from "./runs.js";

/** Words for the files that can be fetched. */
const FILES = {
  "best.toml": "the recommended weights", "tuned.toml": "the tuned weights", "config.toml": "the configuration as it was written",
  "pruning.json": "the results", "pruning.csv": "the numbers of the chart",
  "resolved.toml": "the same with all defaults", "report.html": "the report as one page", "tables.tar": "all tables (Parquet)",
};

/** A command with a button that copies it. */
export function command(text) {
  const said = element("span", { class: "small quiet", role: "status" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "copied";
    } catch {
      said.textContent = "select the text to copy it";
    }
  };
  return element("div", { class: "command" }, element("code", {}, text),
    element("button", { type: "button", onclick: copy, "aria-label": `Copy: ${text}` }, "Copy"), said);
}

/** Downloads and commands of a run. */
export function takeaway(path, files, commands) {
  const link = (name) => element("li", {},
    element("a", { href: `${path}/files/${name}`, download: "" }, name), element("span", { class: "quiet small" }, ` ${FILES[name] ?? ""}`));
  return [
    files.length > 0 ? [element("h2", {}, "Downloads"), element("ul", { class: "downloads" }, files.map(link))] : [],
    commands.length > 0 ? [element("h2", {}, "Commands"),
      element("dl", { class: "commands" }, commands.map(([text, about]) => [element("dt", { class: "small quiet" }, about), element("dd", {}, command(text))]).flat())] : [],
  ].flat(2);
}

/** Whether this server starts runs. It is asked until it does: another one may have taken its place. */
let known = null;
export async function steering() {
  if (!known?.is_allowed) known = await ask("/api/steer").catch(() => ({ is_allowed: false }));
  return known;
}

/** Fields for a limit of a search, and the function that reads them. */
function limit(name, more = "") {
  const number = element("input", { inputmode: "decimal", size: 8, autocomplete: "off", "aria-label": name });
  let unit = "games";
  const pairs = [["games", `training games${more}`], ["minutes", `minutes${more}`], ["generations", `generations${more}`]];
  const units = choice(pairs, unit, (value) => { unit = value; }, { "aria-label": `Unit: ${name}` });
  return [[number, units], () => (number.value.trim() === "" ? {} : { [unit]: Number(number.value) })];
}

/** A closed part that leaves out the terms of a campaign one by one. */
function pruning(run, act) {
  const [fields, budget] = limit("Limit of each search");
  const begin = async () => {
    const answer = await act("prune", { run: run.path, budget: budget() });
    if (answer && part.isConnected) location.hash = prunedAddress(answer.run);
  };
  const part = element("details", {}, element("summary", {}, "Which terms can go?"),
    element("p", { class: "quiet small" }, "Leaves out the least important term, tunes the rest again and plays fresh games with and without it; and so on, until they show a loss. Each search has the limit below, or without a number that of this campaign."),
    element("div", { class: "row steer" }, "Each search", fields, element("button", { type: "button", onclick: begin }, "Leave out terms")));
  return part;
}

/** What can be done with a run: stop it, continue it, go on with more budget. `done()` follows a success. */
export async function controls(run, done) {
  const { is_allowed: isAllowed } = await steering();
  if (!isAllowed) return [];
  const said = element("p", { class: "small", role: "status" });
  const act = single(async (route, body) => {
    said.textContent = "…";
    said.classList.remove("bad");
    try {
      const answer = await ask(`/api/steer/${route}`, body);
      said.textContent = answer.said ?? `started: ${answer.command}`;
      done();
      return answer;
    } catch (error) {
      said.textContent = error.message;
      said.classList.add("bad");
      return null;
    }
  });
  const button = (text, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, text);
  const parts = [];
  if (run.state === "running") {
    parts.push(button("Stop", () => act("stop", { run: run.path }), { title: "As Ctrl-C: what was played is kept" }));
  } else if (run.state !== "complete") {
    parts.push(button("Continue", () => act("resume", { run: run.path }), { class: "main" }));
  }
  const isCampaign = run.state !== "running" && run.kind === "campaign";
  if (isCampaign) {
    const [fields, budget] = limit("New limit of the whole search", " in all");
    parts.push(element("span", { class: "row" }, "Go on until", fields, button("Go on", () => act("resume", { run: run.path, budget: budget() }))));
  }
  return [element("div", { class: "row steer" }, parts), ...(isCampaign && run.state === "complete" ? [pruning(run, act)] : []), said];
}

/** A form that compares two weights of a player. `weights` are those of `GET /api/weights`. */
export function comparison(weights, options, first) {
  const fitting = (one) => weights.filter((other) => other.game === one.game && other.player === one.player);
  const start = weights.find((one) => one.name === first) ?? weights[0];
  if (!start) return element("p", { class: "quiet" }, "There are no weights to compare.");
  let [one, other] = [start, null];
  const said = element("p", { class: "small", role: "status" });
  const place = element("div", { class: "fields" });
  const wide = (label, control) => {
    const made = field(label, control);
    made.classList.add("wide");
    return made;
  };
  const draw = () => {
    const others = fitting(one).filter(({ name }) => name !== one.name);
    const names = [["", "published weights"], ...others.map(({ name }) => [name, name])];
    if (!names.some(([name]) => name === other)) other = "";
    place.replaceChildren(
      wide("Weights", choice(weights.map(({ name, player }) => [name, `${name} (${player})`]), one.name, (name) => { one = weights.find((known) => known.name === name); draw(); })),
      wide("against", choice(names, other, (name) => { other = name; })));
  };
  draw();
  const begin = single(async () => {
    said.textContent = "starting …";
    const player = { game: one.game, name: one.player, ...(options ?? {}) };
    const { depth } = one.options ?? {};
    if (depth !== undefined && player.depth === undefined) player.depth = depth;
    try {
      const { run } = await ask("/api/steer/compare", { player, weights: [other, one.name] });
      if (said.isConnected) location.hash = address(run);
    } catch (error) {
      said.textContent = error.message;
    }
  });
  return element("div", { class: "tight" }, place,
    element("div", { class: "row" }, element("button", { type: "button", class: "main", onclick: begin }, "Compare"), said),
    element("p", { class: "quiet small" }, "Both play the same games until the difference is decided. The verdict grows on the page that opens."));
}
