// Elements of a page. Texts are set as texts, never as HTML.

/** An element with attributes, listeners (`onclick`) and children, which are elements or texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A form field with its label. */
export const field = (label, control) => element("label", { class: "field" }, element("span", {}, label), control);

/** A part of a page that scrolls where it is wider than its place, also by keys. */
export const scroller = (name, attributes, ...children) =>
  element("div", { tabindex: "0", role: "region", "aria-label": name, ...attributes, class: `scroll ${attributes.class ?? ""}`.trim() }, ...children);

/** A key such as `first_tiles` as the name of a field. */
export const titled = (key) => key[0].toUpperCase() + key.slice(1).replaceAll("_", " ");

/** A list to choose from: pairs of value and text. */
export function choice(pairs, chosen, onchange, attributes = {}) {
  const options = pairs.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  return element("select", { ...attributes, onchange: (event) => onchange(event.target.value) }, options);
}

/** A number with the sign that is as wide as its digits. */
const signed = (text) => text.replace("-", "\u2212");

/** A whole number with commas between thousands, as in reports and tables. */
export const whole = (number) => signed(Math.round(number).toLocaleString("en"));

/** A value of a move: a number, `"inf"`, or two numbers. */
export function exact(value) {
  if (Array.isArray(value)) return value.map(exact).join(" / ");
  if (typeof value !== "number" || Math.abs(value) < 1000) return brief(value);
  return whole(value);
}

/** What a move of an answer loses against perfect play, in words; nothing where that is not known. */
export function costOf({ costs }, move) {
  const cost = costs?.[move];
  if (cost === undefined) return "";
  return cost > 0 ? `; this move costs ${exact(cost)} points` : "; perfect play makes it too";
}

/** A value of a move beside the best one: what it gives up, or `best`. What all moves share is left out. */
export function difference(value, best, show = exact) {
  if (typeof value !== "number") return show(value);
  return value >= best ? "best" : show(value - best);
}

/** The same in few characters. */
export function brief(value) {
  if (Array.isArray(value)) return value.map(brief).join(" / ");
  if (value === "inf") return "won";
  if (value === "-inf") return "lost";
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  const places = (number, digits) => signed(number.toFixed(digits));
  if (size >= 1e6) return `${places(value / 1e6, size >= 1e7 ? 1 : 2)} M`;
  if (size >= 1e4) return `${places(value / 1e3, 1)} k`;
  if (Number.isInteger(value)) return signed(String(value));
  return places(value, size >= 1000 ? 0 : size >= 10 ? 1 : 2);
}
