// The blocks of a report, as the server sends them.

import { element, scroller } from "./dom.js";

/** A table in a frame that scrolls. */
export function table(name, header, rows, areNumbers = false) {
  const head = header.map((text, column) => element("th", { scope: "col", class: areNumbers && column > 0 ? "number" : null }, text));
  return scroller(name, { class: "card" },
    element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)));
}

/** What stands between two backticks is code. */
function words(text) {
  const parts = text.split("`");
  return parts.length % 2 === 0 ? text : parts.map((part, index) => (index % 2 === 0 ? part : element("code", {}, part)));
}

const KINDS = {
  heading: (text) => [element("h2", {}, text)],
  text: (text) => [element("p", {}, words(text))],
  note: (text) => [element("p", { class: "quiet small" }, words(text))],
  verdict: (text) => [element("p", { class: "card run-verdict" }, words(text))],
  warning: (text) => [element("p", { class: "notice bad" }, words(text))],
  list: (texts) => [element("ul", {}, texts.map((text) => element("li", {}, words(text))))],
  pairs: (pairs) => [element("dl", { class: "run-facts" },
    pairs.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))))],
  table: ({ heading, note, header, rows }) => [
    element("h2", {}, heading),
    table(heading, header, rows.map((cells) => element("tr", {}, cells.map((text, column) =>
      element(column === 0 ? "th" : "td", column === 0 ? { scope: "row" } : { class: "number" }, text)))), true),
    note ? element("p", { class: "quiet small" }, words(note)) : "",
  ],
  details: ({ title, blocks }) => [element("details", {}, element("summary", {}, title), elements(blocks))],
};

/** The elements of blocks. */
export const elements = (blocks) => blocks.flatMap(({ kind, content }) => KINDS[kind]?.(content) ?? []);
