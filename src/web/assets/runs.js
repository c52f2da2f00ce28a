// What the list of runs and the page of a run share.

import { element } from "./dom.js";

/** The address of the page of a run. */
export const address = (name) => `#/runs/${name.split("/").map(encodeURIComponent).join("/")}`;

/** The address of the page of a pruning. */
export const prunedAddress = (name) => `#/pruned/${encodeURIComponent(name)}`;

/** The state of a run as a word with a colour. */
export const badge = (state) => element("span", { class: `state state-${state.replace(" ", "-")}` }, state);
