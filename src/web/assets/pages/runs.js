// The runs of the results folder.

import { ask } from "../api.js";
import { element } from "../dom.js";

/** Fills an element; returns the function that ends the page. */
export async function mount(place) {
  const runs = await ask("/api/runs");
  const row = (run) => element("tr", {},
    element("td", {}, run.path),
    element("td", {}, run.kind ?? ""),
    element("td", {}, run.state ?? ""),
    element("td", { class: run.error ? "runs-error" : "" }, run.error ?? run.headline));
  const head = ["run", "kind", "state", "result"].map((name) => element("th", { scope: "col" }, name));
  place.append(element("h1", {}, "Runs"));
  place.append(runs.length === 0
    ? element("p", { class: "notice" }, "There are no runs in the results folder.")
    : element("div", { class: "scroll card" }, element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, runs.map(row)))));
  return () => {};
}
