// The charts of a search that grows, from its generations.

import { Chart } from "./chart.js";
import { Columns } from "./columns.js";
import { compact } from "./scale.js";

const NAMES = [
  "generation", "restart", "games", "best", "mean", "worst", "noise", "signal", "games_needed",
];
/** Above this number of games needed there is no signal. */
const NO_SIGNAL = 1e7;
/** The games needed are drawn up to this multiple of the largest number of games that was played. */
const HIGHEST = 100;

/** The generations of a search as columns, in the order in which they come. */
export class Search {
  constructor(parameters, diagnostics) {
    this.parameters = parameters;
    /** What the optimizer declares that it says of itself. */
    this.diagnostics = diagnostics;
    const own = diagnostics.map((_, index) => `diagnostic ${index}`);
    this.rows = new Columns([...NAMES, "above", "below", ...own, ...parameters.flatMap((_, index) => [`center ${index}`, `low ${index}`, `high ${index}`])]);
    this.marks = [];
    this.clear();
  }

  get length() {
    return this.rows.length;
  }

  clear() {
    this.rows.clear();
    this.marks.length = 0;
    /** The latest generation. */
    this.last = null;
    this.previous = null;
    this.outline = null;
  }

  /** The search as it is drawn: all generations, or a sketch of them until all have come. */
  get shown() {
    return this.outline ?? this;
  }

  get restarts() {
    return this.shown.marks;
  }

  /** Takes some generations of a long search, whose others come later. */
  sketch(rows) {
    const last = rows.at(-1);
    if (!last || last.generation < this.rows.length) return;
    const outline = new Search(this.parameters, this.diagnostics);
    rows.forEach((row) => outline.add(row));
    [this.outline, this.last] = [outline, last];
  }

  /** Adds a generation; returns whether it is the next one. */
  push(row) {
    if (row.generation !== this.rows.length) return false;
    this.add(row);
    if (this.outline && row.generation >= this.outline.last.generation) this.outline = null;
    return true;
  }

  add(row) {
    if (this.previous && row.restart !== this.previous.restart) this.marks.push({ x: row.generation });
    const units = this.parameters.map((parameter, index) => unit(parameter, row.center[index]));
    this.rows.push((name) => {
      const [kind, index] = name.split(" ");
      switch (kind) {
        case "above": return row.mean + row.noise;
        case "below": return row.mean - row.noise;
        case "diagnostic": return row.diagnostics[index][1];
        case "center": return units[index];
        case "low": return units[index] - row.spread[index];
        case "high": return units[index] + row.spread[index];
        default: return row[name];
      }
    });
    this.previous = row;
    if (!this.last || row.generation > this.last.generation) this.last = row;
  }

  column(name) {
    return this.shown.rows.get(name);
  }
}

/** A value between the bounds of its parameter as 0 to 1. */
function unit({ min, max, is_logarithmic: isLogarithmic, is_fixed: isFixed }, value) {
  if (isFixed || !(max > min)) return NaN;
  if (isLogarithmic) return (Math.log(value) - Math.log(min)) / (Math.log(max) - Math.log(min));
  return (value - min) / (max - min);
}

/** The value at a place between the bounds. */
function valueAt({ min, max, is_logarithmic: isLogarithmic }, place) {
  if (isLogarithmic) return Math.exp(Math.log(min) + place * (Math.log(max) - Math.log(min)));
  return min + place * (max - min);
}

const percent = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)} %` : "–");
const generation = { label: "generation" };

/** The charts of a search; `page()` returns what the page knows beside the generations. */
export function charts(search, page) {
  const line = (name, color, column) => ({ name, color, x: search.column("generation"), y: search.column(column) });
  const band = (name, color, low, high) =>
    ({ name, color, x: search.column("generation"), low: search.column(low), high: search.column(high) });
  const levels = () => {
    const of = page().hold_out;
    if (!of) return [];
    return [
      { name: "start weights, hold-out games", color: "start", value: of.start },
      { name: "tuned weights, hold-out games", color: "tuned", value: of.tuned },
    ];
  };
  const large = [
    new Chart({
      title: "Fitness by generation",
      about: "Best, mean and worst fitness of each generation. The darker band is the mean ± the noise of one fitness value.",
      x: generation,
      y: {},
      data: () => ({
        lines: [line("best", "best", "best"), line("mean", "mean", "mean")],
        bands: [band("worst to best", "span", "worst", "best"), band("mean ± noise", "noise", "below", "above")],
        levels: levels(),
        marks: search.restarts,
      }),
    }),
    new Chart({
      title: "Signal share",
      about: "Share of the variance of the fitness values that is due to the candidates and not to luck. Above one half the number of games suffices.",
      x: generation,
      y: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], text: (share) => `${100 * share} %`, words: percent },
      data: () => ({
        lines: [line("signal share", "mean", "signal")],
        levels: [{ name: "one half", color: "reference", value: 0.5 }],
        marks: search.restarts,
      }),
    }),
    new Chart({
      title: "Games of each candidate",
      about: "Games that were played, and games at which one half of the variance would be signal.",
      x: generation,
      y: { isLogarithmic: true },
      data: () => {
        const played = search.column("games");
        const most = HIGHEST * played.reduce((most, games) => Math.max(most, games), 1);
        const needed = search.column("games_needed").map((games) => Math.min(Math.max(games, 1), most));
        return {
          lines: [
            { name: "needed", color: "reference", x: search.column("generation"), y: needed },
            line("played", "mean", "games"),
          ],
          marks: search.restarts,
        };
      },
    }),
    ...search.diagnostics.map(({ label, unit, meaning, scale }, index) => new Chart({
      title: label[0].toUpperCase() + label.slice(1),
      about: `${meaning[0].toUpperCase()}${meaning.slice(1)} (${unit}).`,
      x: generation,
      y: { isLogarithmic: scale === "log" },
      data: () => ({ lines: [line(label, "mean", `diagnostic ${index}`)], marks: search.restarts }),
    })),
  ];
  const small = search.parameters.flatMap((parameter, index) => {
    if (parameter.is_fixed || !(parameter.max > parameter.min)) return [];
    const text = (place) => compact(valueAt(parameter, place));
    return [new Chart({
      title: parameter.name,
      about: `Mean of the search distribution for ${parameter.name} between its bounds, with its standard deviation.`,
      isSmall: true,
      x: generation,
      y: { range: [0, 1], ticks: [0, 0.5, 1], text },
      data: () => ({
        lines: [line("mean", "tuned", `center ${index}`)],
        bands: [band("± standard deviation", "tuned", `low ${index}`, `high ${index}`)],
        levels: [{ name: "start", color: "start", value: unit(parameter, parameter.start) }],
        marks: search.restarts,
      }),
    })];
  });
  return { large, small };
}

/** The noise report of the last generation as pairs of name and text. */
export function noiseReport(row) {
  if (!row || !(row.residual > 0)) return [];
  const isUnknown = row.games_needed >= NO_SIGNAL;
  return [
    ["games of each candidate", compact(row.games)],
    ["signal share of this generation", percent(row.signal)],
    ["games needed for one half", isUnknown ? "no signal was found" : compact(Math.ceil(row.games_needed))],
    ["noise of one fitness value", compact(row.residual)],
  ];
}
