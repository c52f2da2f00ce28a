// One run of the results folder.

import { ask } from "../api.js";
import { element } from "../dom.js";

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params) {
  const runs = await ask("/api/runs");
  const found = runs.find((run) => run.path.endsWith(params.name));
  place.append(element("h1", {}, params.name));
  place.append(found
    ? element("p", { class: "card" }, `${found.kind ?? ""} ${found.state ?? ""}: ${found.error ?? found.headline}`)
    : element("p", { class: "notice bad" }, "There is no such run in the results folder."));
  return () => {};
}
