// Figures drawn as SVG from their data: panels with axes and marks, as the server sends them. Values can be read with
// the pointer, with the keyboard, and as a table.

import { eachPixel, indexAt } from "./columns.js";
import { element, scroller } from "./dom.js";
import { compact } from "./scale.js";

const SPACE = "http://www.w3.org/2000/svg";

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Rows of the table of a panel. */
const TABLE_ROWS = 40;
/** Room beside the drawing, in pixels. */
const ROOM = { left: 58, right: 12, top: 8, bottom: 36 };
const SMALL_ROOM = { left: 46, right: 8, top: 6, bottom: 20 };
/** Room for the label of a tick on the horizontal axis, in pixels. */
const LABEL = 56;

let number = 0;

/** A figure whose data can be replaced. Panels with a note below their heading are small ones. */
export class Figure {
  constructor(figure) {
    this.panels = [];
    this.legend = element("ul", { class: "chart-legend" });
    this.places = element("div", { class: figure.body.panels[0].note ? "run-parameters" : "chart-panels" });
    this.element = element("section", {}, element("h2", {}, figure.title), element("p", { class: "quiet small" }, figure.about), this.legend, this.places);
    this.update(figure);
  }

  /** Shows another state of the same figure. */
  update(figure) {
    const key = ({ name, color, look, strength }) => {
      const swatch = element("span", { class: `chart-key ${look} ${color}`, "aria-hidden": "true" });
      swatch.style.opacity = strength;
      return element("li", {}, swatch, name);
    };
    this.legend.replaceChildren(...figure.legend.map(key));
    figure.body.panels.forEach((panel, index) => {
      if (!this.panels[index]) {
        this.panels[index] = new Panel(panel, figure.about);
        this.places.append(this.panels[index].element);
      }
      this.panels[index].update(panel);
    });
  }

  /** Ends the figure. */
  remove() {
    this.panels.forEach((panel) => panel.remove());
    this.element.remove();
  }
}

class Panel {
  constructor({ heading, note, y }, about) {
    Object.assign(this, { isSmall: note !== "", at: null, drawn: null, isSeen: true, isOld: false, width: 0 });
    number += 1;
    const id = `chart-${number}`;
    this.read = element("p", { class: "chart-read", "aria-live": "polite" });
    this.svg = svg("svg", { role: "img", tabindex: "0", "aria-labelledby": `${id}-title`, "aria-describedby": `${id}-about`, class: "chart-drawing" });
    this.place = element("div", { class: "chart-place" });
    this.place.append(this.svg);
    this.title = heading || y.title;
    this.note = element("p", { id: `${id}-about`, class: note ? "quiet small" : "unseen" }, note || about);
    this.table = element("details", { class: "chart-table", ontoggle: () => this.fillTable() }, element("summary", {}, "Table"));
    this.element = element("figure", { class: this.isSmall ? "card chart small-chart" : "card chart" },
      element("figcaption", {}, element("h3", { id: `${id}-title` }, this.title), this.note),
      this.place, this.read, this.table);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.show(null));
    this.svg.addEventListener("blur", () => this.show(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.sizes = new ResizeObserver(() => {
      if (Math.abs(this.place.clientWidth - this.width) >= 1) this.draw();
    });
    this.sizes.observe(this.place);
    this.sight = new IntersectionObserver((entries) => {
      this.isSeen = entries.at(-1).isIntersecting;
      this.drawIfSeen();
    }, { rootMargin: "200px" });
    this.sight.observe(this.element);
    this.ended = new AbortController();
    document.addEventListener("visibilitychange", () => this.drawIfSeen(), { signal: this.ended.signal });
  }

  remove() {
    this.sizes.disconnect();
    this.sight.disconnect();
    this.ended.abort();
  }

  /** Draws other data, or later if nobody sees the panel. */
  update(panel) {
    this.panel = panel;
    if (panel.note) this.note.textContent = panel.note;
    this.isOld = true;
    this.drawIfSeen();
  }

  drawIfSeen() {
    if (this.isOld && this.isSeen && !document.hidden) this.draw();
  }

  draw() {
    const width = this.place.clientWidth;
    if (width === 0) return;
    const { panel } = this;
    this.isOld = false;
    this.width = width;
    const room = this.isSmall ? SMALL_ROOM : ROOM;
    const height = this.isSmall ? 110 : Math.max(200, Math.min(320, Math.round(width * 0.45)));
    const across = scale(panel.x, room.left, width - room.right);
    const up = scale(panel.y, height - room.bottom, room.top);
    this.drawn = { across, up, width, height, room, curves: curves(panel.marks) };
    const parts = svg("g");
    this.grid(parts);
    for (const mark of panel.marks) {
      const shape = svg("g", { class: `${mark.color} mark-${mark.shape}`, opacity: mark.strength });
      shape.append(...SHAPES[mark.shape](mark, this.drawn));
      parts.append(shape);
    }
    this.cursor = svg("g", { class: "chart-cursor" });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren(parts, this.cursor);
    this.show(this.at);
    if (this.table.open) this.fillTable();
  }

  grid(parts) {
    const { across, up, width, height, room } = this.drawn;
    const { x, y } = this.panel;
    const bottom = height - room.bottom;
    for (const [place, text] of y.ticks) {
      const at = up.to(place);
      parts.append(svg("line", { class: "chart-grid", x1: room.left, x2: width - room.right, y1: at, y2: at }));
      parts.append(svg("text", { class: "chart-tick", x: room.left - 6, y: at + 4, "text-anchor": "end" }, text));
    }
    const every = Math.ceil((x.ticks.length * LABEL) / (width - room.left - room.right));
    x.ticks.forEach(([place, text], index) => {
      const at = across.to(place);
      parts.append(svg("line", { class: "chart-axis", x1: at, x2: at, y1: bottom, y2: bottom + 4 }));
      if (index % every !== 0) return;
      const anchor = at > width - 30 ? "end" : "middle";
      parts.append(svg("text", { class: "chart-tick", x: anchor === "end" ? width - 2 : at, y: bottom + 16, "text-anchor": anchor }, text.split("\n")[0]));
    });
    parts.append(svg("line", { class: "chart-axis", x1: room.left, x2: width - room.right, y1: bottom, y2: bottom }));
    if (this.isSmall) return;
    parts.append(svg("text", { class: "chart-label", x: (room.left + width - room.right) / 2, y: height - 4, "text-anchor": "middle" }, x.title));
  }

  /** The places on the horizontal axis that can be read: those of the curve with the most. */
  places() {
    return this.drawn.curves.reduce((most, { x }) => (x.length > most.length ? x : most), []);
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
    const text = this.panel.y.is_share ? percent : compact;
    return this.drawn.curves.map(({ name, x, values }) => {
      const words = values.map((column) => text(valueAt(x, column, at)));
      return [name ?? "value", words[0] === "–" ? "–" : words.join(" to ")];
    });
  }

  /** Shows the values at a place; those at the end if there is none. */
  show(at) {
    this.at = at;
    if (!this.drawn) return;
    const { across, up, height, room } = this.drawn;
    this.cursor.replaceChildren();
    if (at === null || this.places().length === 0) {
      this.read.replaceChildren();
      return;
    }
    const x = across.at(at);
    this.cursor.append(svg("line", { x1: x, x2: x, y1: room.top, y2: height - room.bottom }));
    for (const { x: places, values, color } of this.drawn.curves) {
      const value = valueAt(places, values[0], at);
      if (values.length === 1 && Number.isFinite(value)) this.cursor.append(svg("circle", { class: color, cx: x, cy: up.at(value), r: 3.5 }));
    }
    const words = this.values(at).filter(([, text]) => text !== "–").map(([name, text]) => `${name} ${text}`);
    this.read.textContent = `${this.panel.x.title} ${compact(at)}: ${words.join(", ")}`;
  }

  /** The table of the panel, with evenly spread places. It is made when it is opened. */
  fillTable() {
    if (!this.table.open || !this.drawn) return;
    const places = this.places();
    const count = Math.min(TABLE_ROWS, places.length);
    const rows = [];
    for (let row = 0; row < count; row += 1) {
      rows.push(places[count === 1 ? 0 : Math.round((row * (places.length - 1)) / (count - 1))]);
    }
    const head = [this.panel.x.title, ...(count > 0 ? this.values(rows[0]).map(([name]) => name) : [])];
    const cells = (at) => [compact(at), ...this.values(at).map(([, text]) => text)];
    const note = count < places.length ? `${count} of ${places.length} places` : null;
    const table = scroller(`${this.title}, table`, {},
      element("table", {}, note ? element("caption", {}, note) : null,
        element("thead", {}, element("tr", {}, head.map((name) => element("th", { scope: "col", class: "number" }, name)))),
        element("tbody", {}, rows.map((at) => element("tr", {}, cells(at).map((text) => element("td", { class: "number" }, text)))))));
    this.table.replaceChildren(this.table.firstElementChild, table);
  }
}

/** A share in percent. */
const percent = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)} %` : "–");

/** What can be read: lines and bands, those of the same name after one another. */
function curves(marks) {
  const found = new Map();
  for (const { name, color, shape, points, edges } of marks) {
    if (shape !== "line" && shape !== "band") continue;
    const [x, ...values] = (points ?? edges).map((column) => column.map((value) => value ?? NaN));
    const key = `${name} ${shape}`;
    const curve = found.get(key) ?? { name, color, x: [], values: values.map(() => []) };
    curve.x = curve.x.concat(x);
    curve.values = curve.values.map((column, index) => column.concat(values[index]));
    found.set(key, curve);
  }
  // Lines first: a band is read beside its line.
  return [...found.values()].sort((one, other) => one.values.length - other.values.length);
}

/** From the values of an axis to the pixels `from` and `to`. */
function scale({ range: [low, high], is_logarithmic: isLogarithmic }, from, to) {
  const place = isLogarithmic ? Math.log10 : (value) => value;
  const keep = (value) => Math.min(Math.max(value, low), high);
  const pixel = (value) => from + ((value - low) * (to - from)) / (high - low);
  return {
    /** The pixel of a tick. */
    to: pixel,
    /** The pixel of a value, at the edge if it is beyond. */
    at: (value) => pixel(keep(place(value))),
    /** The value at a pixel. */
    value: (at) => {
      const value = low + ((at - from) * (high - low)) / (to - from);
      return isLogarithmic ? 10 ** value : value;
    },
  };
}

/** The value of a curve at a place; no number before its beginning and behind its end. */
function valueAt(x, y, at) {
  if (x.length === 0 || at < x[0] || at > x[x.length - 1]) return NaN;
  return y[indexAt(x, at)];
}

const segment = (x1, y1, x2, y2) => svg("line", { x1, x2, y1, y2 });
const ends = ([x1, y1], [x2, y2], { across, up }) => [across.at(x1), up.at(y1), across.at(x2), up.at(y2)];

/** How a mark is drawn, by its shape. */
const SHAPES = {
  line: ({ points: [x, y] }, { across, up }) => [svg("path", { class: "chart-line", d: linePath(x, y, across, up) })],
  band: ({ edges: [x, low, high] }, { across, up }) => [svg("path", { class: "chart-band", d: bandPath(x, low, high, across, up) })],
  level: ({ y }, { up, width, room }) => [segment(room.left, up.at(y), width - room.right, up.at(y))],
  dashes: ({ from, to }, drawn) => [segment(...ends(from, to, drawn))],
  divider: ({ x }, { across, height, room }) => [segment(across.at(x), room.top, across.at(x), height - room.bottom)],
  bar: ({ from, to }, drawn) => {
    const [x1, y1, x2, y2] = ends(from, to, drawn);
    return [svg("rect", { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) })];
  },
  dot: ({ at: [x, y] }, { across, up }) => [svg("circle", { cx: across.at(x), cy: up.at(y), r: 4 })],
  interval: ({ at, low, high, is_upright: isUpright }, drawn) => {
    const [x1, y1, x2, y2] = isUpright ? ends([at, low], [at, high], drawn) : ends([low, at], [high, at], drawn);
    const [dx, dy] = isUpright ? [4, 0] : [0, 4];
    return [segment(x1, y1, x2, y2), segment(x1 - dx, y1 - dy, x1 + dx, y1 + dy), segment(x2 - dx, y2 - dy, x2 + dx, y2 + dy)];
  },
  text: ({ at: [x, y], text }, { across, up }) => [svg("text", { class: "chart-tick", x: across.at(x), y: up.at(y) - 6, "text-anchor": "middle" }, text)],
};

function linePath(x, y, across, up) {
  let path = "";
  let isNew = true;
  const to = (pixel, value) => {
    path += `${isNew ? "M" : "L"}${pixel},${up.at(value).toFixed(1)}`;
    isNew = false;
  };
  eachPixel(x, y, across.at, (pixel, first, low, high, last) => {
    to(pixel, first);
    if (low < Math.min(first, last)) to(pixel, low);
    if (high > Math.max(first, last)) to(pixel, high);
    if (last !== first) to(pixel, last);
  }, () => { isNew = true; });
  return path;
}

function bandPath(x, low, high, across, up) {
  const [above, below] = [[], []];
  eachPixel(x, high, across.at, (pixel, first, lowest, highest) => above.push(`${pixel},${up.at(highest).toFixed(1)}`));
  eachPixel(x, low, across.at, (pixel, first, lowest) => below.push(`${pixel},${up.at(lowest).toFixed(1)}`));
  return above.length === 0 ? "" : `M${above.join("L")}L${below.reverse().join("L")}Z`;
}
