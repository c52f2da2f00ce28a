// What the server says of a position: values of moves, bars of terms, heat map.

import { brief, element } from "../dom.js";
import { compact } from "../scale.js";
import { difference } from "./numbers.js";

/** A value of a move: a number, or what `brief` says of it. */
const written = (value) => (typeof value === "number" ? compact(value) : brief(value));

const number = (text) => element("td", { class: "number" }, text);

/** The moves: the value of each relative to the best, the value itself, and where it is known the loss against perfect play. */
export function movesTable({ best, moves }, isColumns) {
  const hasCosts = moves.some(({ cost }) => cost !== null);
  const loss = (cost) => (cost === null ? "" : cost > 0 ? difference(-cost) : "none");
  const row = ({ name, value, relative, cost }) => element("tr", { class: name === best ? "best" : null },
    element("th", { scope: "row" }, isColumns ? `column ${name}` : name),
    number(value === null ? "–" : name === best ? "best" : relative === null ? written(value) : difference(relative)),
    number(value === null ? "illegal" : written(value)), hasCosts ? number(loss(cost)) : null);
  const head = ["move", "against the best", "value", ...(hasCosts ? ["loss to perfect play"] : [])].map((text, at) => element("th", { scope: "col", class: at > 0 ? "number" : null }, text));
  return element("table", { class: "lab-moves small" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, moves.map(row)));
}

/** A bar of a share from -1 to 1, from the middle. */
function bar(share) {
  const inner = element("i", { class: share < 0 ? "less" : "more" });
  inner.style.width = `${Math.abs(share) * 50}%`;
  return element("span", { class: "diverging", "aria-hidden": "true" }, inner);
}

/** What each term gives to each move, relative to the best one. Terms that give the same to all moves are left out. */
export function termsTable({ best, moves, terms }) {
  const legal = moves.filter(({ value }) => value !== null).map(({ name }) => name);
  const size = ({ relative }) => Math.max(...legal.map((name) => Math.abs(relative[name] ?? 0)));
  const shown = terms.filter((term) => size(term) > 1e-9).sort((one, other) => size(other) - size(one));
  const same = terms.length - shown.length;
  const most = Math.max(...shown.map(size), 1e-9);
  const cell = (value, name) => element("td", { class: name === best ? "number best bar-cell" : "number bar-cell" },
    name === best ? "0" : difference(value), name === best ? "" : bar(value / most));
  const row = (term) => element("tr", {}, element("th", { scope: "row" }, term.name), legal.map((name) => cell(term.relative[name], name)));
  const sum = (name) => terms.reduce((all, { relative }) => all + (relative[name] ?? 0), 0);
  const head = element("tr", {}, element("th", { scope: "col" }, "term"), legal.map((name) => element("th", { scope: "col", class: "number" }, name)));
  const last = element("tr", { class: "sum" }, element("th", { scope: "row" }, "all terms"),
    legal.map((name) => element("td", { class: "number" }, name === best ? "0" : difference(sum(name)))));
  const words = same > 0 ? `${same} of ${terms.length} terms give the same to every move, and are not shown.` : "";
  return [element("table", { class: "terms small" }, element("thead", {}, head), element("tbody", {}, shown.map(row), last)), words];
}

/** The sum of several terms of the heat map. */
export function sum(heat) {
  const [first] = heat;
  const byLine = new Map();
  for (const { lines } of heat) {
    for (const { cells, points } of lines) {
      const key = cells.join();
      byLine.set(key, { cells, points: (byLine.get(key)?.points ?? 0) + points });
    }
  }
  return {
    points: heat.reduce((all, { points }) => all + points, 0),
    cells: first.cells.map((_, cell) => heat.reduce((all, { cells }) => all + cells[cell], 0)),
    lines: [...byLine.values()],
    board: heat.reduce((all, { board }) => all + board, 0),
  };
}

/** A heat map as a table: tile and points of each cell, the points of each row and column at their ends. */
export function heatTable(of, grid, caption) {
  const { columns } = grid;
  const rows = grid.cells.length / columns;
  const most = Math.max(...of.cells.map(Math.abs), 1e-9);
  const line = (cells) => of.lines.find((one) => one.cells.join() === cells.join())?.points;
  const cell = (index) => {
    const points = of.cells[index];
    const made = element("td", { class: "cell-heat" }, element("b", {}, grid.cells[index].text), element("span", {}, difference(points)));
    const colour = points < 0 ? "less" : "more";
    made.style.backgroundColor = `color-mix(in srgb, var(--lab-${colour}) ${Math.round((Math.abs(points) / most) * 45)}%, transparent)`;
    return made;
  };
  const total = (points, attributes) => element("td", { class: "total", ...attributes }, points === undefined ? "" : difference(points));
  const ofRow = (row) => Array.from({ length: columns }, (_, column) => row * columns + column);
  const ofColumn = (column) => Array.from({ length: rows }, (_, row) => row * columns + column);
  const all = (count) => Array.from({ length: count }, (_, index) => index);
  const body = all(rows).map((row) => element("tr", {}, ofRow(row).map(cell), total(line(ofRow(row)))));
  const foot = element("tr", {}, all(columns).map((column) => total(line(ofColumn(column)))), element("td", { class: "total all" }, compact(of.points)));
  const head = element("tr", {}, all(columns).map((column) => element("th", { scope: "col" }, element("span", { class: "unseen" }, `column ${column + 1}`))), element("th", { scope: "col", class: "total quiet" }, "row"));
  return element("table", { class: "heat" }, element("caption", { class: "unseen" }, caption), element("thead", {}, head), element("tbody", {}, body, foot));
}
