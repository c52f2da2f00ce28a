// Charts of curves, drawn as SVG. A chart shows what it is given: lines, bands between two lines, levels, and marks at
// places of the horizontal axis. Its values can be read with the pointer, with the keyboard, and as a table.

import { eachPixel, indexAt } from "./columns.js";
import { element } from "./dom.js";
import { around, axis, compact } from "./scale.js";

const SPACE = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Rows of the table of a chart. */
const TABLE_ROWS = 40;
/** Room beside the drawing, in pixels. */
const ROOM = { left: 58, right: 12, top: 8, bottom: 36 };
const SMALL_ROOM = { left: 46, right: 8, top: 6, bottom: 20 };

let number = 0;

/**
 * A chart. `x` and `y` are axes: `label`, and for `y` also `isLogarithmic`, fixed ends `range`, fixed `ticks` and their
 * `text`. `data()` returns what is shown: `lines` (`name`, `color`, `x`, `y`), `bands` (`color`, `x`, `low`, `high`, and
 * the `name` of both ends), `levels` (`name`, `color`, `value`), `marks` (`x`).
 */
export class Chart {
  constructor({ title, about, x, y, data, isSmall = false }) {
    Object.assign(this, { title, about, x, y, data, isSmall, at: null, drawn: null });
    number += 1;
    const id = `chart-${number}`;
    this.legend = element("ul", { class: "chart-legend" });
    this.read = element("p", { class: "chart-read", "aria-live": "polite" });
    this.svg = svg("svg", { role: "img", tabindex: "0", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-about`, class: "chart-drawing" });
    this.place = element("div", { class: "chart-place" });
    this.place.append(this.svg);
    this.table = element("details", { class: "chart-table", ontoggle: () => this.fillTable() },
      element("summary", {}, "Table"));
    this.heading = element("h3", { id: `${id}-title` }, title);
    this.element = element("figure", { class: isSmall ? "chart small-chart" : "chart" },
      element("figcaption", {}, this.heading, element("p", { id: `${id}-about`, class: isSmall ? "unseen" : "quiet small" }, about)),
      isSmall ? null : this.legend, this.place, this.read, this.table);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.show(null));
    this.svg.addEventListener("blur", () => this.show(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.isSeen = true;
    this.isOld = false;
    this.width = 0;
    this.sizes = new ResizeObserver(() => {
      if (Math.abs(this.place.clientWidth - this.width) >= 1) this.draw();
    });
    this.sizes.observe(this.place);
    this.sight = new IntersectionObserver((entries) => {
      this.isSeen = entries.at(-1).isIntersecting;
      if (this.isSeen && this.isOld) this.draw();
    }, { rootMargin: "200px" });
    this.sight.observe(this.element);
  }

  /** Ends the chart. */
  remove() {
    this.sizes.disconnect();
    this.sight.disconnect();
    this.element.remove();
  }

  /** Draws what there is now, or later if nobody sees the chart. */
  update() {
    this.isOld = true;
    if (this.isSeen && !document.hidden) this.draw();
  }

  draw() {
    const width = this.place.clientWidth;
    if (width === 0) return;
    this.isOld = false;
    this.width = width;
    const room = this.isSmall ? SMALL_ROOM : ROOM;
    const height = this.isSmall ? 110 : Math.max(200, Math.min(320, Math.round(width * 0.45)));
    const data = { lines: [], bands: [], levels: [], marks: [], ...this.data() };
    const [across, up] = this.axes(data, { width, height, room });
    this.drawn = { data, across, up, width, height, room };
    const parts = svg("g");
    this.grid(parts);
    for (const mark of data.marks) {
      const x = across.at(mark.x);
      parts.append(svg("line", { class: "chart-mark", x1: x, x2: x, y1: room.top, y2: height - room.bottom }));
    }
    for (const band of data.bands) parts.append(svg("path", { class: `chart-band ${band.color}`, d: bandPath(band, across, up) }));
    for (const level of data.levels) {
      if (!(level.value >= up.low && level.value <= up.high)) continue;
      const y = up.at(level.value);
      parts.append(svg("line", { class: `chart-level ${level.color}`, x1: room.left, x2: width - room.right, y1: y, y2: y }));
    }
    for (const line of data.lines) parts.append(svg("path", { class: `chart-line ${line.color}`, d: linePath(line, across, up) }));
    this.cursor = svg("g", { class: "chart-cursor" });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren(parts, this.cursor);
    this.fillLegend(data);
    this.show(this.at);
    if (this.table.open) this.fillTable();
  }

  axes(data, { width, height, room }) {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    const isShown = (value) => Number.isFinite(value) && (!this.y.isLogarithmic || value > 0);
    const see = (values) => {
      for (let index = 0; index < values.length; index += 1) {
        const value = values[index];
        if (!isShown(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    };
    for (const { x } of [...data.lines, ...data.bands]) {
      if (x.length === 0) continue;
      left = Math.min(left, x[0]);
      right = Math.max(right, x[x.length - 1]);
    }
    if (this.y.range) [low, high] = this.y.range;
    else {
      data.lines.forEach((line) => see(line.y));
      data.bands.forEach((band) => { see(band.low); see(band.high); });
      see(data.levels.map((level) => level.value));
      [low, high] = around(low, high, this.y.isLogarithmic);
    }
    if (!(right >= left)) [left, right] = [0, 1];
    if (right === left) [left, right] = [left - 0.5, right + 0.5];
    const inner = width - room.left - room.right;
    const across = axis({ low: left, high: right, from: room.left, to: width - room.right, count: Math.max(2, Math.min(8, inner / 90)) });
    // Generations and games are whole numbers.
    across.ticks = across.ticks.filter(Number.isInteger);
    const up = axis({
      low, high, from: height - room.bottom, to: room.top, isLogarithmic: this.y.isLogarithmic, ticks: this.y.ticks,
      count: this.isSmall ? 3 : 5,
    });
    return [across, up];
  }

  grid(parts) {
    const { across, up, width, height, room } = this.drawn;
    const bottom = height - room.bottom;
    const text = this.y.text ?? compact;
    for (const tick of up.ticks) {
      const y = up.at(tick);
      parts.append(svg("line", { class: "chart-grid", x1: room.left, x2: width - room.right, y1: y, y2: y }));
      parts.append(svg("text", { class: "chart-tick", x: room.left - 6, y: y + 4, "text-anchor": "end" }, text(tick)));
    }
    for (const tick of across.ticks) {
      const x = across.at(tick);
      parts.append(svg("line", { class: "chart-axis", x1: x, x2: x, y1: bottom, y2: bottom + 4 }));
      const anchor = x > width - 30 ? "end" : "middle";
      parts.append(svg("text", { class: "chart-tick", x: anchor === "end" ? width - 2 : x, y: bottom + 16, "text-anchor": anchor }, compact(tick)));
    }
    parts.append(svg("line", { class: "chart-axis", x1: room.left, x2: width - room.right, y1: bottom, y2: bottom }));
    if (this.isSmall) return;
    parts.append(svg("text", { class: "chart-label", x: (room.left + width - room.right) / 2, y: height - 4, "text-anchor": "middle" }, this.x.label));
  }

  fillLegend(data) {
    if (this.isSmall) return;
    const names = [...data.lines, ...data.bands, ...data.levels].filter((one) => one.name);
    const key = JSON.stringify(names.map((one) => [one.name, one.color]));
    if (key === this.legendKey) return;
    this.legendKey = key;
    const kind = (one) => ("y" in one ? "line" : "low" in one ? "band" : "level");
    this.legend.replaceChildren(...names.map((one) =>
      element("li", {}, element("span", { class: `chart-key ${kind(one)} ${one.color}`, "aria-hidden": "true" }), one.name)));
  }

  /** The places on the horizontal axis that can be read. */
  places() {
    const { lines, bands } = this.drawn.data;
    const longest = [...lines, ...bands].reduce((most, one) => (one.x.length > most.length ? one.x : most), []);
    return longest;
  }

  point(event) {
    if (!this.drawn) return;
    const places = this.places();
    if (places.length === 0) return;
    const box = this.svg.getBoundingClientRect();
    const value = this.drawn.across.value(((event.clientX - box.left) * this.drawn.width) / box.width);
    const index = indexAt(places, value);
    const next = Math.min(index + 1, places.length - 1);
    this.show(Math.abs(places[next] - value) < Math.abs(places[index] - value) ? places[next] : places[index]);
  }

  key(event) {
    if (!this.drawn) return;
    const places = this.places();
    if (places.length === 0) return;
    const last = places.length - 1;
    const here = this.at === null ? last : indexAt(places, this.at);
    const page = Math.max(1, Math.round(places.length / 20));
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, PageUp: here - page, PageDown: here + page, Home: 0, End: last }[event.key];
    if (event.key === "Escape") this.show(null);
    if (to === undefined) return;
    event.preventDefault();
    this.show(places[Math.max(0, Math.min(last, to))]);
  }

  /** The values at a place in words: pairs of name and text. */
  values(at) {
    const { lines, bands, levels } = this.drawn.data;
    const text = this.y.words ?? this.y.text ?? compact;
    return [
      ...lines.filter((line) => line.name).map((line) => [line.name, text(valueAt(line.x, line.y, at))]),
      ...bands.filter((band) => band.name)
        .map((band) => [band.name, `${text(valueAt(band.x, band.low, at))} to ${text(valueAt(band.x, band.high, at))}`]),
      ...levels.map((level) => [level.name, text(level.value)]),
    ];
  }

  /** Shows the values at a place; those at the end if there is none. */
  show(at) {
    this.at = at;
    if (!this.drawn) return;
    const { across, up, height, room, data } = this.drawn;
    this.cursor.replaceChildren();
    const places = this.places();
    if (at === null || places.length === 0) {
      this.read.replaceChildren();
      return;
    }
    const x = across.at(at);
    this.cursor.append(svg("line", { x1: x, x2: x, y1: room.top, y2: height - room.bottom }));
    for (const line of data.lines) {
      const value = valueAt(line.x, line.y, at);
      if (Number.isFinite(value) && value >= up.low && value <= up.high) {
        this.cursor.append(svg("circle", { class: line.color, cx: x, cy: up.at(value), r: 3.5 }));
      }
    }
    const words = this.values(at).filter(([, text]) => text !== "–").map(([name, text]) => `${name} ${text}`);
    this.read.textContent = `${this.x.label} ${compact(at)}: ${words.join(", ")}`;
  }

  /** The table of the chart, with evenly spread places. It is made when it is opened. */
  fillTable() {
    if (!this.table.open || !this.drawn) return;
    const places = this.places();
    const count = Math.min(TABLE_ROWS, places.length);
    const rows = [];
    for (let row = 0; row < count; row += 1) {
      rows.push(places[count === 1 ? 0 : Math.round((row * (places.length - 1)) / (count - 1))]);
    }
    const head = [this.x.label, ...(count > 0 ? this.values(rows[0]).map(([name]) => name) : [])];
    const cells = (at) => [compact(at), ...this.values(at).map(([, text]) => text)];
    const note = count < places.length ? `${count} of ${places.length} places` : null;
    const table = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${this.title}, table` },
      element("table", {}, note ? element("caption", {}, note) : null,
        element("thead", {}, element("tr", {}, head.map((name) => element("th", { scope: "col", class: "number" }, name)))),
        element("tbody", {}, rows.map((at) => element("tr", {}, cells(at).map((text) => element("td", { class: "number" }, text)))))));
    this.table.replaceChildren(this.table.firstElementChild, table);
  }
}

/** The value of a curve at a place; no number before its beginning and behind its end. */
function valueAt(x, y, at) {
  if (x.length === 0 || at < x[0] || at > x[x.length - 1]) return NaN;
  return y[indexAt(x, at)];
}

function linePath(line, across, up) {
  let path = "";
  let isNew = true;
  const to = (x, value) => {
    path += `${isNew ? "M" : "L"}${x},${up.at(value).toFixed(1)}`;
    isNew = false;
  };
  eachPixel(line.x, line.y, across.at, (x, first, low, high, last) => {
    to(x, first);
    if (low < Math.min(first, last)) to(x, low);
    if (high > Math.max(first, last)) to(x, high);
    if (last !== first) to(x, last);
  }, () => { isNew = true; });
  return path;
}

function bandPath(band, across, up) {
  const [above, below] = [[], []];
  const keep = (value) => Math.min(Math.max(value, up.low), up.high);
  eachPixel(band.x, band.high, across.at, (x, first, low, high) => above.push(`${x},${up.at(keep(high)).toFixed(1)}`));
  eachPixel(band.x, band.low, across.at, (x, first, low) => below.push(`${x},${up.at(keep(low)).toFixed(1)}`));
  return above.length === 0 ? "" : `M${above.join("L")}L${below.reverse().join("L")}Z`;
}
