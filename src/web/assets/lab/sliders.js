// The sliders: one for each parameter, with its bounds and its scale, and where the move flips.

import { element } from "../dom.js";
import { STEPS, difference, placeOf, plain, valueAt } from "./numbers.js";
import { compact } from "../scale.js";

export class Sliders {
  /** `onchange()` is called when a value changes. */
  constructor(onchange) {
    this.onchange = onchange;
    this.element = element("div", { class: "tight" });
    this.rows = new Map();
  }

  /** Shows these parameters, with these values instead of those that they begin with. */
  show(parameters, values = {}) {
    this.parameters = parameters;
    this.values = {};
    this.rows.clear();
    for (const { key } of parameters) if (Number.isFinite(values[key])) this.values[key] = values[key];
    const isShown = (one) => one.role !== "constant" && (one.is_on || one.key in this.values);
    const row = (one) => this.#row(one);
    const first = parameters.filter(isShown);
    const rest = parameters.filter((one) => !isShown(one));
    this.rest = element("details", {},
      element("summary", { class: "small" }, `${rest.length} more: constants, and terms that are off`),
      element("div", { class: "sliders" }, rest.map(row)));
    const meaning = ({ key, about }) => [element("dt", {}, key), element("dd", {}, about)];
    const meanings = element("details", {}, element("summary", { class: "small" }, "What the weights mean"), element("dl", { class: "small" }, parameters.flatMap(meaning)));
    this.element.replaceChildren(element("div", { class: "sliders" }, first.map(row)), rest.length === 0 ? "" : this.rest, parameters.length === 0 ? "" : meanings);
  }

  /** Whether the term of a parameter has an effect. */
  isOn(of) {
    const weights = this.parameters.filter(({ term, role }) => term === of.term && role !== "power");
    return weights.some((one) => one.role === "constant" || this.value(one) !== 0);
  }

  value(of) {
    return this.values[of.key] ?? of.value;
  }

  /** All values as they began. */
  reset() {
    this.values = {};
    for (const one of this.parameters) this.#draw(one);
    this.onchange();
  }

  #set(of, value) {
    if (value === of.value) delete this.values[of.key];
    else this.values[of.key] = value;
    this.#draw(of);
    this.onchange();
  }

  #row(of) {
    const id = `weight-${of.key}`;
    const name = element("label", { for: id, title: of.about }, of.key);
    const range = element("input", {
      id, type: "range", min: 0, max: STEPS, step: 1, "aria-describedby": `${id}-about`,
      oninput: ({ target }) => this.#set(of, valueAt(of, Number(target.value))),
    });
    const number = element("input", {
      type: "number", step: "any", "aria-label": `value of ${of.key}`, autocomplete: "off",
      onchange: ({ target }) => {
        const value = Number(target.value);
        if (target.value.trim() === "" || !Number.isFinite(value)) this.#draw(of);
        else this.#set(of, value);
      },
    });
    const back = element("button", { type: "button", "aria-label": `${of.key} as it began: ${compact(of.value)}`, title: `As it began: ${compact(of.value)}`, onclick: (event) => {
        this.#set(of, of.value);
        // The button is off now. By keys, one goes on beside it.
        if (event.detail === 0) number.focus();
      } }, "↺");
    const flips = element("div", { class: "flips" });
    const about = element("span", { class: "unseen", id: `${id}-about` }, `${of.about}; from ${compact(of.min)} to ${compact(of.max)}${of.is_logarithmic ? ", logarithmic" : ""}`);
    this.rows.set(of.key, { name, range, number, back, flips });
    this.#draw(of);
    return element("div", { class: "slider" }, name, range, number, back, flips, about);
  }

  #draw(of) {
    const { name, range, number, back } = this.rows.get(of.key);
    const value = this.value(of);
    range.value = placeOf(of, value);
    range.setAttribute("aria-valuetext", compact(value));
    number.value = plain(value);
    back.disabled = value === of.value;
    const bounds = `${compact(of.min)} to ${compact(of.max)}${of.is_logarithmic ? ", log" : ""}`;
    const change = value === of.value ? "" : ` ${difference(value - of.value)}`;
    name.replaceChildren(element("b", {}, of.key), element("span", { class: "changed" }, change), element("span", { class: "quiet small" }, ` ${bounds}`));
  }

  /** Says where the move flips at one parameter; with `isShown` where it can be seen. */
  flips(key, words, isShown) {
    const row = this.rows.get(key);
    row.flips.replaceChildren(words);
    if (isShown && this.rest.contains(row.flips)) this.rest.open = true;
  }

  clearFlips() {
    for (const { flips } of this.rows.values()) flips.replaceChildren();
  }
}
