// The terms of a heuristic, left out one by one: what is found so far, its chart, and the run of each step.

import { ask } from "../api.js";
import { elements, table } from "../blocks.js";
import { element, scroller } from "../dom.js";
import { controls, takeaway } from "../extras.js";
import { address, badge, prunedAddress } from "../runs.js";

/** Time between two requests while a step is played, in milliseconds. */
const REFRESH = 4000;

/** Fills an element; returns the function that ends the page. */
export async function mount(place, { name }) {
  const path = `/api/pruned/${encodeURIComponent(name)}`;
  const ended = new AbortController();
  let [waiting, known, isComplete] = [null, "", false];
  const refresh = async () => {
    clearTimeout(waiting);
    try {
      const page = await ask(path, undefined, ended.signal);
      isComplete = page.is_complete;
      if (JSON.stringify(page) === known) return;
      known = JSON.stringify(page);
      const running = page.runs.find(({ state }) => state === "running");
      const steer = running ? await controls(running, again) : [];
      if (place.isConnected) document.title = `${page.name}: which terms can go – tiletune`;
      place.replaceChildren(...content(page, path, steer));
    } finally {
      // A click may have begun another refresh in the meantime.
      clearTimeout(waiting);
      if (!isComplete && !ended.signal.aborted) waiting = setTimeout(again, REFRESH);
    }
  };
  // What is shown stays if a request fails; the next one follows.
  const again = () => refresh().catch(() => {});
  const end = () => {
    ended.abort();
    clearTimeout(waiting);
  };
  try {
    await refresh();
  } catch (error) {
    end();
    throw error;
  }
  return end;
}

function content({ path, name, is_complete: isComplete, blocks, has_chart: hasChart, runs, files, command }, route, steer) {
  const isRunning = runs.some(({ state }) => state === "running");
  const state = isComplete ? "complete" : isRunning ? "running" : "not complete";
  const chart = element("figure", { class: "card run-image" },
    scroller("Chart", {}, element("img", { src: `${route}/chart.svg?steps=${runs.length}`, alt: "Score against the number of terms that are left; the table has the numbers" })));
  const row = (run) => element("tr", {}, element("td", {}, element("a", { href: address(run.path) }, run.path)),
    element("td", {}, badge(run.state)), element("td", {}, run.headline.replaceAll("->", "→")));
  return [
    element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs")),
    element("h1", { class: "run-title" }, `${name}: which terms can go `, badge(state)),
    element("p", { class: "quiet" }, path),
    ...steer,
    element("div", { class: "run-blocks" }, elements(blocks)),
    hasChart ? chart : "",
    element("div", { class: "run-runs" },
      runs.length > 0 ? [element("h2", {}, "Searches of the steps"), table("Searches of the steps", ["run", "state", "result"], runs.map(row))] : [],
      ...takeaway(route, files, isComplete ? [] : [[command, "goes on with it, if no step is running"]])),
  ];
}

/** The prunings of the folder as a list; nothing if there are none. */
export async function prunings(signal) {
  const all = await ask("/api/pruned", undefined, signal);
  const words = ({ terms, left, is_complete: isComplete }) => (isComplete ? `${left} of ${terms} terms are enough` : `not complete: ${left} of ${terms} terms so far`);
  return all.length === 0 ? [] : [element("h2", {}, "Which terms can go"),
    element("ul", { class: "downloads" }, all.map((one) => element("li", {}, element("a", { href: prunedAddress(one.path) }, one.path), ` ${one.name}: ${words(one)}`)))];
}
