// A run: what is known of it, and the curves of a search that grows while it plays.

import { Newest, ask } from "../api.js";
import { elements, table } from "../blocks.js";
import { Figure } from "../chart.js";
import { candidates } from "../candidates.js";
import { workers } from "../cluster.js";
import { element, scroller } from "../dom.js";
import { controls, takeaway } from "../extras.js";
import { bytes, compact } from "../scale.js";
import { Overlay } from "../overlay.js";
import { gameForm } from "../lab/game-form.js";
import { address, badge } from "../runs.js";

/** Time between two drawings of the figures, in milliseconds. */
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
    this.newest = new Newest();
    document.addEventListener("visibilitychange", () => this.turn(), { signal: this.ended.signal });
    this.isResting = false;
    this.drawn = -Infinity;
    this.fetched = 0;
    this.figures = [];
    this.isSearch = false;
    /** Generations in the figures. */
    this.shown = 0;
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
    this.wasRunning = this.page.run.state === "running";
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
    this.newest.end();
    this.source?.close();
    clearTimeout(this.untilRest);
    clearInterval(this.renewing);
    clearTimeout(this.drawing);
    clearTimeout(this.fetching);
    clearTimeout(this.retrying);
    this.removeFigures();
  }

  removeFigures() {
    this.figures.forEach((figure) => figure.remove());
    this.figures = [];
    this.isSearch = false;
    this.shown = 0;
    this.overlay?.end();
    this.overlay = null;
  }

  // What the page consists of.

  build() {
    this.removeFigures();
    this.steered = null;
    this.parts = Object.fromEntries(["head", "now", "steer", "workers", "blocks", "runs", "live", "games", "images", "candidates", "takeaway", "log"].map((name) =>
      [name, element("div", { class: `run-${name}` })]));
    this.place.replaceChildren(...Object.values(this.parts));
    this.fill();
    const { search, state } = this.page.run;
    if (search === "run" && state !== "complete") this.buildLive();
    if (search === "children") this.buildOverlay();
  }

  fill() {
    this.fillHead();
    this.fillNow();
    this.fillBlocks();
    this.fillRuns();
    if (this.page.play && this.parts.games.childElementCount === 0) this.parts.games.replaceChildren(gameForm(this.name));
    this.fillImages();
    this.fillExtras();
    this.fillLog();
  }

  /** What a person has opened stays open as long as there is nothing new. */
  fillBlocks() {
    const blocks = JSON.stringify(this.page.blocks ?? []);
    if (blocks === this.parts.blocks.dataset.shown) return;
    this.parts.blocks.dataset.shown = blocks;
    this.parts.blocks.replaceChildren(...elements(this.page.blocks ?? []));
  }

  /** What can be done with the run, and taken from it. An open table of candidates stays as it is. */
  fillExtras() {
    const { run, files, commands, play } = this.page;
    this.parts.takeaway.replaceChildren(...takeaway(this.path, files, commands));
    const link = play && files.includes("tuned.toml") ? (weights) => playAddress(run, play, weights) : null;
    if (run.kind === "campaign" && this.parts.candidates.childElementCount === 0) {
      this.parts.candidates.replaceChildren(candidates(this.path, this.name, link, this.ended.signal));
    }
    if (this.steered === run.state) return;
    this.steered = run.state;
    controls(run, () => this.begun()).then((parts) => {
      if (this.steered === run.state) this.parts.steer.replaceChildren(...parts);
    });
  }

  /** The run was stopped or goes on. */
  begun() {
    if (this.ended.signal.aborted) return;
    this.fetchSoon();
    if (this.source && this.source.readyState !== EventSource.CLOSED) return;
    this.listen();
  }

  fillHead() {
    const isOpen = this.parts.head.querySelector("details")?.open === true;
    const { run, player, why } = this.page;
    const about = [run.kind, run.game, player ?? run.players.join(", ")].filter(Boolean).join(" · ");
    const parent = this.name.split("/").slice(0, -2).join("/");
    this.parts.head.replaceChildren(
      element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs"), parent ? [" / ", element("a", { href: address(parent) }, parent)] : ""),
      element("h1", { class: "run-title" }, run.name || this.name, " ", badge(run.state)),
      element("p", { class: "quiet" }, about, element("br"), `${this.name} · began ${run.began.replace("T", " ").replace("Z", " UTC")} · ${bytes(run.bytes)}`),
      why ? element("details", { open: isOpen }, element("summary", {}, "Why"), why.split(/\n\s*\n/).map((text) => element("p", {}, text.trim()))) : "");
    if (this.place.isConnected) document.title = `${run.name || this.name} – tiletune`;
  }

  fillNow() {
    const { run, objective } = this.page;
    const start = this.page.start_level;
    const withStart = (fact) => (fact[0] === "now" && start !== undefined ? [["start", compact(start)], fact] : [fact]);
    const facts = (this.pace?.facts ?? []).flatMap(withStart);
    const { is_tuned: isTuned, play } = this.page;
    const link = isTuned && play
      ? element("a", { class: "button", href: playAddress(run, play, this.name) }, "Play with the tuned weights")
      : "";
    const learning = this.isSearch && run.state === "running" && this.pace?.learning;
    this.parts.now.replaceChildren(
      ...elements([{ kind: "pairs", content: facts }]),
      learning ? element("p", {}, learning) : "",
      element("p", { class: "run-headline" }, this.isSearch && run.state === "running" && objective ? `The search maximises: ${objective}.` : run.headline.replaceAll("->", "→")),
      link ? element("p", {}, link) : "");
  }

  fillRuns() {
    const { runs } = this.page;
    if (runs.length === 0) {
      this.parts.runs.replaceChildren();
      return;
    }
    const row = (run) => element("tr", {},
      element("td", {}, element("a", { href: address(run.path) }, run.path.slice(this.name.length + 1))),
      element("td", {}, badge(run.state)), element("td", {}, run.headline.replaceAll("->", "→")));
    this.parts.runs.replaceChildren(element("h2", {}, "Runs inside of it"), table("Runs inside of it", ["run", "state", "result"], runs.map(row)));
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
        scroller(`${title}, chart`, {}, element("a", { href: svg, target: "_blank" }, image)), element("figcaption", { class: "quiet small" }, about));
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
    this.isSearch = true;
    this.noise = element("div", { class: "card run-noise" });
    this.curves = element("div", {});
    this.parts.live.replaceChildren(element("h2", {}, "Signal and noise"), this.noise, this.curves);
    this.drawSoon();
  }

  /** Fetches the figures and draws them. A heat map or rows with names are drawn when the run is complete. */
  async draw() {
    this.drawn = performance.now();
    const { figures, generations, is_sketch: isSketch } = await ask(`${this.path}/figures`, undefined, this.ended.signal);
    if (!this.isSearch) return;
    const drawn = figures.filter(({ body }) => body.kind === "panels" && body.panels[0].rows.length === 0);
    drawn.forEach((figure, index) => {
      if (this.figures[index]) {
        this.figures[index].update(figure);
        return;
      }
      this.figures[index] = new Figure(figure);
      this.curves.append(this.figures[index].element);
    });
    // A sketch is drawn again when all generations are read.
    this.shown = isSketch ? 0 : generations;
  }

  buildOverlay() {
    const names = () => this.page.runs.map((run) => run.path);
    this.overlay = new Overlay(names, () => this.page.run.state === "running");
    this.parts.live.replaceChildren(element("h2", {}, "Searches"), this.overlay.element);
    this.overlay.begin();
  }

  // What is new.

  listen() {
    if (this.source && this.source.readyState !== EventSource.CLOSED) this.source.close();
    clearTimeout(this.retrying);
    const source = new EventSource(`${this.path}/events`);
    this.source = source;
    this.isResting = false;
    // A tab that is opened in the background is never turned.
    if (document.hidden) this.turn();
    const on = (name, action) => source.addEventListener(name, (event) => action(JSON.parse(event.data)));
    // All lines are sent again. What was there stays until then.
    let isFirst = true;
    on("log", ({ words }) => {
      if (isFirst) this.log = [];
      isFirst = false;
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

  /** Shows new numbers with the next frame, and draws the figures not more often than every two seconds. */
  soon() {
    if (this.showing) return;
    this.showing = requestAnimationFrame(() => {
      this.showing = null;
      if (this.ended.signal.aborted) return;
      this.fillNow();
      if (this.isSearch && this.pace) this.noise.replaceChildren(...elements(this.pace.noise));
      if (this.log.length !== this.shownLines) this.fillLog();
      this.shownLines = this.log.length;
      this.drawSoon();
    });
  }

  drawSoon() {
    if (this.drawing || !this.isSearch || document.hidden || this.shown === this.pace?.generations) return;
    const wait = Math.max(0, this.drawn + REDRAW - performance.now());
    this.drawing = setTimeout(async () => {
      try {
        await this.draw();
      } catch (error) {
        if (!this.ended.signal.aborted) this.warn(error.message);
        return;
      } finally {
        this.drawing = null;
      }
      // More may have come meanwhile.
      this.drawSoon();
    }, wait);
  }

  /** Fetches the page in a moment. What is asked for during a request is newer than its answer, so another one follows. */
  fetchSoon() {
    this.isOld = true;
    if (this.fetching || this.ended.signal.aborted) return;
    const wait = Math.max(0, this.fetched + REDRAW - performance.now());
    const own = setTimeout(async () => {
      try {
        await this.refresh();
      } finally {
        if (this.fetching === own) {
          this.fetching = null;
          if (this.isOld) this.fetchSoon();
        }
      }
    }, wait);
    this.fetching = own;
  }

  async refresh() {
    this.fetched = performance.now();
    this.isOld = false;
    const signal = this.newest.next();
    try {
      this.page = await ask(this.path, undefined, signal);
    } catch (error) {
      if (!signal.aborted) this.warn(error.message);
      return;
    }
    // A run that goes on has live figures again.
    const isRunning = this.page.run.state === "running";
    if (isRunning && !this.wasRunning) this.build();
    else this.fill();
    this.wasRunning = isRunning;
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
    this.isSearch = false;
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
