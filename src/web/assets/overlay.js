// The curves of several searches in one chart.

import { ask } from "./api.js";
import { Figure } from "./chart.js";
import { element, scroller } from "./dom.js";
import { compact } from "./scale.js";
import { address } from "./runs.js";

/** Time between two requests while a run grows, in milliseconds. */
const REFRESH = 3000;
/** Largest number of runs whose curves are shown. */
export const MOST = 12;

/** A chart of the runs that `names()` returns; `grows()` says whether it is fetched again. */
export class Overlay {
  constructor(names, grows) {
    this.names = names;
    this.grows = grows;
    this.runs = [];
    this.ended = new AbortController();
    this.across = 0;
    this.notice = element("div", {});
    this.results = element("div", {});
    this.figures = [];
    this.place = element("div", {});
    const by = (value, text) => element("label", { class: "row" },
      element("input", { type: "radio", name: "across", value, checked: value === this.across, onchange: () => this.turn(value) }), text);
    this.element = element("section", { class: "card", "aria-label": "Curves" }, this.notice, this.place,
      element("fieldset", { class: "row plain" }, element("legend", { class: "unseen" }, "Horizontal axis"), by(0, "by training games"), by(1, "by generations")),
      this.results);
  }

  turn(across) {
    this.across = across;
    this.chart?.remove();
    this.chart = null;
    this.draw();
  }

  draw() {
    const figure = this.figures[this.across];
    if (this.chart) {
      this.chart.update(figure);
    } else if (figure) {
      this.chart = new Figure(figure);
      this.place.replaceChildren(this.chart.element);
    }
  }

  async begin() {
    const names = this.names().slice(0, MOST);
    if (names.length > 0) {
      const query = names.map((name) => `run=${encodeURIComponent(name)}`).join("&");
      try {
        ({ runs: this.runs, figures: this.figures } = await ask(`/api/compare?${query}`, undefined, this.ended.signal));
        this.show();
      } catch (error) {
        if (this.ended.signal.aborted) return;
        this.notice.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
      }
    }
    if (this.ended.signal.aborted || !this.grows(this.runs)) return;
    this.waiting = setTimeout(() => this.begin(), REFRESH);
  }

  show() {
    this.draw();
    const objectives = new Set(this.runs.map((run) => run.objective).filter(Boolean));
    const words = objectives.size > 1 ? "These runs maximise different things; their curves cannot be compared." : "";
    this.notice.replaceChildren(words ? element("p", { class: "notice" }, words) : "");
    const measured = this.runs.filter((run) => run.hold_out);
    if (measured.length === 0) {
      this.results.replaceChildren();
      return;
    }
    const interval = (ends) => (ends ? `${compact(ends[0])} to ${compact(ends[1])}` : "–");
    const rows = measured.map(({ run, hold_out: of }) => element("tr", {},
      element("th", { scope: "row" }, element("a", { href: address(run.path) }, run.path)),
      ...[compact(of.start), compact(of.tuned), interval(of.interval)].map((text) => element("td", { class: "number" }, text)),
      element("td", {}, of.verdict)));
    const head = ["run", "start", "tuned", "95 % interval", "tuned weights are"]
      .map((name, column) => element("th", { scope: "col", class: column > 0 && column < 4 ? "number" : null }, name));
    this.results.replaceChildren(element("h3", {}, "Hold-out games"),
      scroller("Results of the runs", {}, element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows))));
  }

  end() {
    this.ended.abort();
    clearTimeout(this.waiting);
    this.chart?.remove();
  }
}
