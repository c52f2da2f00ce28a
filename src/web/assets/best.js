// The best runs of the folder, for each game, board, player and objective.

import { ask } from "./api.js";
import { element, scroller } from "./dom.js";
import { address } from "./runs.js";
import { compact } from "./scale.js";

/** A closed part of a page that ranks the runs when it is opened. */
export function best(signal) {
  const place = element("div", {}, element("p", { class: "quiet", role: "status" }, "Reading the results …"));
  const opened = async (event) => {
    if (!event.target.open) return;
    try {
      const groups = await ask("/api/best", undefined, signal);
      place.replaceChildren(...(groups.length > 0 ? groups.flatMap(table) : [element("p", { class: "quiet" }, "No run has hold-out games yet.")]));
    } catch (error) {
      if (!signal.aborted) place.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
    }
  };
  return element("details", { ontoggle: opened }, element("summary", {}, "Best of all runs, for each game, board and player"), place);
}

function table({ game, board, player, objective, runs }) {
  const title = [game, board, player].filter(Boolean).join(", ");
  const head = ["run", "depth", "weights", objective, "95 % interval", "games"]
    .map((text, column) => element("th", { scope: "col", class: column > 2 ? "number" : null }, text));
  const row = (run) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: address(run.path) }, run.path)),
    element("td", {}, run.depth ?? ""), element("td", {}, run.is_tuned ? "tuned" : "start"),
    ...[compact(run.value), run.interval ? run.interval.map(compact).join(" to ") : "–", compact(run.games)].map((text) => element("td", { class: "number" }, text)));
  return [
    element("h2", {}, title),
    scroller(title, { class: "card" },
      element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, runs.map(row)))),
    runs.length > 1 ? element("p", { class: "quiet small" }, "Each run has hold-out games of its own, and the first of many is lucky, too: a comparison decides between two of them.") : "",
  ];
}
