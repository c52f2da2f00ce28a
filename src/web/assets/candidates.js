// The candidates of a campaign as a table that can be sorted, each with a link to play it.

import { ask } from "./api.js";
import { element, scroller } from "./dom.js";
import { compact } from "./scale.js";

/** Rows that are shown at first. */
const SHOWN = 20;

/** A closed part of a page that fetches the candidates of a run when it is opened. `play(name)` is a link. */
export function candidates(path, name, play, signal) {
  const place = element("div", {}, element("p", { class: "quiet", role: "status" }, "Reading the candidates …"));
  let isRead = false;
  const opened = async (event) => {
    if (!event.target.open || isRead) return;
    isRead = true;
    try {
      place.replaceChildren(...table(await ask(`${path}/candidates`, undefined, signal), name, play));
    } catch (error) {
      if (signal.aborted) return;
      isRead = false;
      place.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
    }
  };
  return element("details", { ontoggle: opened }, element("summary", {}, "Candidates of the search"), place);
}

function table({ parameters, candidates: rows, of }, name, play) {
  const columns = [
    ["generation", (row) => row.generation, (row) => String(row.generation + 1)],
    ["fitness", (row) => row.fitness, (row) => `${compact(row.fitness)} ± ${compact(row.standard_error)}`],
    ["without luck", (row) => row.shrunk, (row) => compact(row.shrunk)],
    ["games", (row) => row.games, (row) => compact(row.games)],
    ...parameters.map((parameter, index) => [parameter, (row) => row.values[index], (row) => compact(row.values[index])]),
  ];
  let [by, isDown, most] = [2, true, SHOWN];
  const body = element("tbody", {});
  const heads = columns.map(([title], index) => {
    const button = element("button", { type: "button", class: "plain-button", onclick: () => sort(index) }, title);
    return element("th", { scope: "col", class: "number" }, button);
  });
  const more = element("button", { type: "button", onclick: () => { most = rows.length; fill(); } }, `Show all ${rows.length}`);
  const row = (one) => element("tr", {},
    element("td", {}, play ? element("a", { href: play(`${name}:candidate-${one.generation}-${one.candidate}`) }, "play this one") : ""),
    columns.map(([, , text]) => element("td", { class: "number" }, text(one))));
  const fill = () => {
    const sorted = [...rows].sort((one, other) => (isDown ? -1 : 1) * (columns[by][1](one) - columns[by][1](other)));
    body.replaceChildren(...sorted.slice(0, most).map(row));
    heads.forEach((head, index) => (index === by ? head.setAttribute("aria-sort", isDown ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    more.hidden = most >= rows.length;
  };
  const sort = (index) => {
    isDown = index === by ? !isDown : true;
    by = index;
    fill();
  };
  fill();
  return [
    element("p", { class: "quiet small" }, `The best ${rows.length} of ${of} candidates. Part of a fitness is luck: “without luck” is the fitness drawn towards the mean of its generation by the share of the noise. Press a heading to sort.`),
    scroller("Candidates", { class: "card" },
      element("table", {}, element("thead", {}, element("tr", {}, element("th", { scope: "col" }, element("span", { class: "unseen" }, "play")), heads)), body)),
    more,
  ];
}
