// A run: what is known of it, and the curves of a search that grows while it plays.

import { ask } from "../api.js";
import { workers } from "../cluster.js";
import { element, whole } from "../dom.js";
import { bytes, compact, duration } from "../scale.js";
import { charts, noiseReport, Search } from "../search-charts.js";
import { Overlay } from "../overlay.js";
import { address, badge } from "../runs.js";

/** Time between two drawings of the charts, in milliseconds. */
const REDRAW = 2000;
/** Time after which a lost connection is tried again if the browser does not. */
const RETRY = 5000;
/** Time between two requests for the page of a run with other runs inside, in milliseconds. */
const RENEW = 5000;
/**
 * Time after which a hidden page gives its connection back, in milliseconds. A browser opens six to a server, and the
 * pages of all its tabs share them.
 */
const REST = 10000;

/** Fills an element; returns the function that ends the page. */
export async function mount(place, params) {
  const run = new RunPage(place, params.name);
  await run.begin();
  return () => run.end();
}

class RunPage {
  constructor(place, name) {
    this.place = place;
    this.name = name;
    this.path = `/api/runs/${encodeURIComponent(name)}`;
    this.ended = new AbortController();
    document.addEventListener("visibilitychange", () => this.turn(), { signal: this.ended.signal });
    this.isResting = false;
    this.drawn = -Infinity;
    this.fetched = 0;
    this.charts = [];
    this.log = [];
    this.pace = null;
  }

  async begin() {
    // To read the files of a long run takes a moment.
    this.place.replaceChildren(
      element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs")),
      element("h1", { class: "run-title" }, this.name),
      element("p", { class: "quiet", role: "status" }, "Reading the run …"));
    this.page = await ask(this.path, undefined, this.ended.signal);
    this.build();
    if (this.page.run.state !== "complete") this.listen();
  }

  /** The page was hidden, or is seen again. Nothing is drawn while nobody sees it. */
  turn() {
    clearTimeout(this.untilRest);
    if (document.hidden) {
      this.untilRest = setTimeout(() => this.rest(), REST);
    } else if (this.isResting) {
      this.fetchSoon();
      this.listen();
    } else {
      this.drawSoon();
    }
  }

  /** Gives the connection back. */
  rest() {
    if (!this.source || this.page.run.state === "complete") return;
    this.isResting = true;
    this.source.close();
    clearInterval(this.renewing);
    clearTimeout(this.retrying);
  }

  end() {
    this.ended.abort();
    this.source?.close();
    clearTimeout(this.untilRest);
    clearInterval(this.renewing);
    clearTimeout(this.drawing);
    clearTimeout(this.fetching);
    clearTimeout(this.retrying);
    this.removeCharts();
  }

  removeCharts() {
    this.charts.forEach((chart) => chart.remove());
    this.charts = [];
    this.overlay?.end();
    this.overlay = null;
  }

  // What the page consists of.

  build() {
    this.removeCharts();
    this.parts = Object.fromEntries(["head", "now", "workers", "text", "runs", "live", "tables", "images", "log"].map((name) =>
      [name, element("div", { class: `run-${name}` })]));
    this.place.replaceChildren(...Object.values(this.parts));
    this.fill();
    const { kind, state } = this.page.run;
    if (kind === "campaign" && state !== "complete") this.buildLive();
    if (kind === "series") this.buildOverlay();
  }

  fill() {
    this.fillHead();
    this.fillNow();
    this.fillText();
    this.fillRuns();
    this.fillTables();
    this.fillImages();
    this.fillLog();
  }

  fillHead() {
    const { run, player, settings, why } = this.page;
    const about = [run.kind, run.game, player ?? run.players.join(", ")].filter(Boolean).join(" · ");
    const parent = this.name.split("/").slice(0, -2).join("/");
    this.parts.head.replaceChildren(
      element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs"), parent ? [" / ", element("a", { href: address(parent) }, parent)] : ""),
      element("h1", { class: "run-title" }, run.name || this.name, " ", badge(run.state)),
      element("p", { class: "quiet" }, about, element("br"), `${this.name} · began ${run.began.replace("T", " ").replace("Z", " UTC")} · ${bytes(run.bytes)}`),
      settings ? element("p", { class: "quiet" }, settings) : "",
      why ? element("details", {}, element("summary", {}, "Why"), element("p", { class: "run-why" }, why)) : "");
    document.title = `${run.name || this.name} – tiletune`;
  }

  fillNow() {
    const { run, objective } = this.page;
    const last = this.search?.last;
    const facts = [];
    const isRunning = run.state === "running";
    if (this.search) {
      const most = this.page.budget.generations;
      const count = this.pace?.generations ?? this.search.length;
      facts.push(["generations", most && this.pace?.seconds_left != null ? `${whole(count)} of ${whole(most)}` : whole(count)]);
    }
    if (this.pace && run.kind !== "series") {
      facts.push(["games", whole(this.pace.games)]);
      if (this.pace.games_per_second && isRunning) facts.push(["games/s", compact(this.pace.games_per_second)]);
      if (this.pace.seconds_left !== null && isRunning) {
        facts.push([this.search ? "search left" : "left", duration(this.pace.seconds_left)]);
      }
    }
    if (last) facts.push(["mean fitness", compact(last.mean)], ["best", compact(last.best)]);
    const list = facts.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text)));
    const { tuned, play } = this.page;
    const link = tuned && play
      ? element("a", { class: "button", href: playAddress(run, play, this.name) }, "Play with the tuned weights")
      : "";
    this.parts.now.replaceChildren(
      element("dl", { class: "run-facts" }, list),
      element("p", { class: "run-headline" }, this.search && isRunning && objective ? `The search maximises: ${objective}.` : run.headline),
      link ? element("p", {}, link) : "");
  }

  fillText() {
    const { verdict, sentences = [], texts = [] } = this.page;
    this.parts.text.replaceChildren(
      verdict ? element("p", { class: "card run-verdict" }, verdict) : "",
      ...sentences.map((sentence) => element("p", {}, sentence)),
      ...texts.map((text) => element("pre", { class: "scroll card small", tabindex: "0" }, text)));
  }

  fillRuns() {
    const { runs } = this.page;
    if (runs.length === 0) {
      this.parts.runs.replaceChildren();
      return;
    }
    const row = (run) => element("tr", {},
      element("td", {}, element("a", { href: address(run.path) }, run.path.slice(this.name.length + 1))),
      element("td", {}, badge(run.state)), element("td", {}, run.headline));
    this.parts.runs.replaceChildren(element("h2", {}, "Runs inside of it"), table("Runs inside of it", ["run", "state", "result"], runs.map(row)));
  }

  fillTables() {
    const { sections = [] } = this.page;
    this.parts.tables.replaceChildren(...sections.flatMap(({ heading, note, header, rows }) => [
      element("h2", {}, heading),
      table(heading, header, rows.map((cells) => element("tr", {}, cells.map((text, column) =>
        element(column === 0 ? "th" : "td", column === 0 ? { scope: "row" } : { class: "number" }, text)))), true),
      note ? element("p", { class: "quiet small" }, note) : "",
    ]));
  }

  fillImages() {
    const { charts: images, run } = this.page;
    const version = run.state === "complete" ? "" : `?at=${Date.now()}`;
    if (images.length === 0) {
      this.parts.images.replaceChildren();
      return;
    }
    const figures = images.map(({ name, title, about }) => {
      const svg = `${this.path}/charts/${name}.svg${version}`;
      const image = element("img", { src: svg, alt: `${title}. ${about}`, loading: "lazy" });
      const figure = element("figure", { class: "card run-image" },
        element("a", { href: svg, target: "_blank" }, image), element("figcaption", { class: "quiet small" }, about));
      // There may be no data for it yet.
      image.addEventListener("error", () => figure.remove());
      return figure;
    });
    this.parts.images.replaceChildren(element("h2", {}, "Charts"), element("div", { class: "run-figures" }, figures));
  }

  fillLog() {
    const lines = this.log.length > 0 ? this.log : this.page.log ?? [];
    if (lines.length === 0) return;
    this.parts.log.replaceChildren(element("h2", {}, "Events"), element("ol", { class: "run-events" }, lines.map((words) => element("li", {}, words))));
  }

  buildLive() {
    this.search = new Search(this.page.parameters, this.page.diagnostics);
    const { large, small } = charts(this.search, () => this.page);
    this.charts = [...large, ...small];
    this.noise = element("div", { class: "card run-noise" });
    this.parts.live.replaceChildren(
      element("div", { class: "run-charts" }, large.map((chart) => element("div", { class: "card" }, chart.element))),
      element("h2", {}, "Signal and noise"), this.noise,
      element("h2", {}, "Parameters"),
      element("p", { class: "quiet small" }, "Mean of the search distribution between the bounds; the band is its standard deviation, the dashes are the start value."),
      element("div", { class: "run-parameters" }, small.map((chart) => element("div", { class: "card" }, chart.element))));
  }

  fillNoise() {
    if (!this.noise) return;
    const report = noiseReport(this.search.last);
    const words = this.pace?.noise ?? (report.length === 0 ? "The noise is not known yet." : "");
    this.noise.replaceChildren(
      words ? element("p", {}, words) : "",
      element("dl", { class: "run-facts" }, report.map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text)))));
  }

  buildOverlay() {
    const names = () => this.page.runs.map((run) => run.path);
    this.overlay = new Overlay(names, () => this.page.run.state === "running");
    this.parts.live.replaceChildren(element("h2", {}, "Searches"), this.overlay.element);
    this.overlay.begin();
  }

  // What is new.

  listen() {
    const source = new EventSource(`${this.path}/events`);
    this.source = source;
    this.isResting = false;
    // A tab that is opened in the background is never turned.
    if (document.hidden) this.turn();
    const on = (name, action) => source.addEventListener(name, (event) => action(JSON.parse(event.data)));
    // All is sent again. What was there stays until then, so that no chart is empty in between.
    let isFirst = true;
    const onRow = (name, action) => on(name, (data) => {
      if (isFirst) {
        this.log = [];
        this.search?.clear();
      }
      isFirst = false;
      action(data);
    });
    onRow("sketch", ({ rows }) => {
      this.search?.sketch(rows);
      this.soon();
    });
    onRow("generation", (row) => {
      if (this.search?.push(row)) this.soon();
    });
    onRow("log", ({ words }) => {
      this.log.push(words);
      this.soon();
    });
    on("pace", (pace) => {
      this.pace = pace;
      this.soon();
    });
    on("cluster", (state) => this.parts.workers.replaceChildren(...workers(state)));
    on("changed", () => this.fetchSoon());
    on("state", ({ state }) => {
      if (this.page.run.state === state) return;
      this.page.run.state = state;
      this.fillHead();
      this.fetchSoon();
    });
    on("damaged", ({ message }) => {
      source.close();
      this.warn(message);
    });
    on("end", () => {
      source.close();
      this.complete();
    });
    clearInterval(this.renewing);
    this.renewing = setInterval(() => this.renew(), RENEW);
    source.onopen = () => this.warn(null);
    source.onerror = () => {
      this.warn("The connection to the server is lost. The page tries again.");
      // The browser does so itself unless the server refused.
      if (source.readyState !== EventSource.CLOSED || this.ended.signal.aborted) return;
      this.retrying = setTimeout(() => this.listen(), RETRY);
    };
  }

  warn(message) {
    this.warning?.remove();
    this.warning = message ? element("p", { class: "notice bad", role: "alert" }, message) : null;
    if (this.warning) this.parts.head.after(this.warning);
  }

  /** Shows new numbers with the next frame, and draws the charts not more often than every two seconds. */
  soon() {
    if (this.showing) return;
    this.showing = requestAnimationFrame(() => {
      this.showing = null;
      if (this.ended.signal.aborted) return;
      this.fillNow();
      this.fillNoise();
      if (this.log.length !== this.shownLines) this.fillLog();
      this.shownLines = this.log.length;
      this.drawSoon();
    });
  }

  drawSoon() {
    if (this.drawing || this.charts.length === 0) return;
    const wait = Math.max(0, this.drawn + REDRAW - performance.now());
    this.drawing = setTimeout(() => {
      this.drawing = null;
      this.drawn = performance.now();
      this.charts.forEach((chart) => chart.update());
    }, wait);
  }

  fetchSoon() {
    if (this.fetching) return;
    const wait = Math.max(0, this.fetched + REDRAW - performance.now());
    this.fetching = setTimeout(() => this.refresh().finally(() => { this.fetching = null; }), wait);
  }

  async refresh() {
    this.fetched = performance.now();
    try {
      this.page = await ask(this.path, undefined, this.ended.signal);
    } catch (error) {
      if (!this.ended.signal.aborted) this.warn(error.message);
      return;
    }
    this.fill();
  }

  /** The runs inside of a run grow, too. */
  renew() {
    if (this.page.runs.length > 0 && this.page.run.state === "running" && !document.hidden) this.fetchSoon();
  }

  /** The run has ended: its written charts take the place of the live ones. */
  async complete() {
    clearInterval(this.renewing);
    clearTimeout(this.fetching);
    this.fetching = null;
    this.search = null;
    this.noise = null;
    await this.refresh();
    if (this.ended.signal.aborted) return;
    this.build();
  }
}

/** The address of the page for playing, with the player and the weights of a run. */
function playAddress(run, play, name) {
  const params = new URLSearchParams({ game: run.game, player: run.players[0] ?? "", weights: name });
  for (const [key, value] of Object.entries(play)) {
    if (!["game", "name"].includes(key) && ["string", "number", "boolean"].includes(typeof value)) params.set(key, value);
  }
  return `#/play?${params}`;
}

function table(name, header, rows, areNumbers = false) {
  const head = header.map((text, column) => element("th", { scope: "col", class: areNumbers && column > 0 ? "number" : null }, text));
  return element("div", { class: "scroll card", tabindex: "0", role: "group", "aria-label": name },
    element("table", {}, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows)));
}
