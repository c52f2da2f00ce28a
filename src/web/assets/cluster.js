// The workers of a run that plays on a cluster.

import { element, scroller, whole } from "./dom.js";
import { compact } from "./scale.js";

const plural = (count, what) => `${whole(count)} ${what}${count === 1 ? "" : "s"}`;

/** What is known of the workers, or nothing. */
export function workers(state) {
  if (!state) return [];
  const { workers: list, queued, playing, retries, barred } = state;
  const rate = list.reduce((sum, { games_per_second }) => sum + games_per_second, 0);
  const sentence = [
    plural(list.length, "worker"), `${compact(rate)} games/s`, `${plural(queued, "task")} in the queue`, `${whole(playing)} being played`,
    `${whole(retries)} published again`, barred.length > 0 ? `barred: ${barred.join(", ")}` : "",
  ].filter(Boolean).join(", ");
  const row = ({ worker, threads, games_per_second, games, tasks }) => element("tr", {},
    element("th", { scope: "row" }, worker),
    [threads, games_per_second, games, tasks].map((value, column) =>
      element("td", { class: "number" }, column === 1 ? compact(value) : whole(value))));
  const header = ["worker", "threads", "games/s", "games", "tasks"].map((name, column) =>
    element("th", { scope: "col", class: column > 0 ? "number" : null }, name));
  const table = scroller("Workers", { class: "card" },
    element("table", {}, element("thead", {}, element("tr", {}, header)), element("tbody", {}, list.map(row))));
  return [element("h2", {}, "Workers"), element("p", {}, `${sentence}.`), list.length > 0 ? table : ""];
}
