// A new campaign: what it tunes, and how long; the file that it would be and its plan; its start.

import { Newest, ask, single } from "../api.js";
import { meanings } from "../chooser.js";
import { choice, element, field, scroller, titled } from "../dom.js";
import { command, comparison, steering } from "../extras.js";
import { address } from "../runs.js";

/** Fills an element; returns the function that ends the page. */
export async function mount(place) {
  const [about, games, weights] = await Promise.all([steering(), ask("/api/games"), ask("/api/weights")]);
  if (!about.is_allowed) {
    place.replaceChildren(element("h1", {}, "New campaign"),
      element("p", {}, "This server only watches. Started like this, its pages start, stop and continue runs, too:"),
      command("tiletune serve --allow-start --open"),
      element("p", {}, "Or start a campaign in a terminal:"), command("tiletune tune --out results/mine"));
    return () => {};
  }
  // Files can have come since the server was first asked.
  const page = new NewPage(place, await ask("/api/steer"), games, weights);
  await page.begin();
  return () => page.end();
}

class NewPage {
  constructor(place, about, games, weights) {
    this.place = place;
    this.about = about;
    this.games = games.filter((game) => game.players.some((player) => player.has_weights));
    this.weights = weights;
    this.ended = new AbortController();
    this.newest = new Newest();
    this.planning = new Newest();
    this.game = this.games[0];
    this.player = this.tunable(this.game)[0];
    this.heuristic = "";
    this.options = {};
    this.rows = [];
    this.campaign = "";
  }

  tunable(game) {
    return game.players.filter((player) => player.has_weights);
  }

  async begin() {
    const input = (value, attributes = {}) => element("input", { value, autocomplete: "off", ...attributes });
    this.name = input("", { "aria-label": "Name", pattern: "[A-Za-z0-9_\\-.]+" });
    this.why = input("");
    this.seed = input("", { inputmode: "numeric" });
    this.limit = input("10000", { inputmode: "decimal" });
    this.unit = choice([["games", "training games"], ["minutes", "minutes"], ["generations", "generations"]], "games", () => {});
    this.holdOut = input("1000", { inputmode: "numeric" });
    this.source = element("div", { class: "fields" });
    this.meanings = element("div", {});
    this.terms = element("div", {});
    this.said = element("p", { role: "status", class: "small" });
    this.preview = element("div", {});
    const button = (text, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, text);
    const files = [["", "game and player below"], ...this.about.campaigns.map((name) => [name, name])];
    this.place.replaceChildren(
      element("p", { class: "small" }, element("a", { href: "#/runs" }, "Runs")),
      element("h1", {}, "New campaign"),
      element("section", { class: "card tight", "aria-label": "What is tuned" },
        this.about.campaigns.length > 0 ? field("Campaign file of the results folder", choice(files, "", (name) => { this.campaign = name; this.show(); })) : "",
        this.source, this.meanings, this.terms),
      element("section", { class: "card tight", "aria-label": "How long" },
        element("div", { class: "fields" },
          field("End of the search after", this.limit), field("Unit", this.unit),
          field("Hold-out games", this.holdOut), field("Name", this.name), field("Seed (empty: drawn)", this.seed), field("Why", this.why)),
        element("p", { class: "quiet small" }, "The hold-out games are fresh games after the search, by start and tuned weights. They say what was gained."),
        element("div", { class: "row" }, button("Show file and plan", () => this.plan()), button("Start", single(() => this.start()), { class: "main" })),
        this.said),
      this.preview,
      element("h2", {}, "Compare two weights"),
      element("section", { class: "card" }, comparison(this.weights)));
    await this.show();
  }

  end() {
    this.ended.abort();
    this.newest.end();
    this.planning.end();
  }

  /** Draws the fields of the source, and fetches the parameters of the player. */
  async show() {
    const signal = this.newest.next();
    this.planning.end();
    this.rows = [];
    this.preview.replaceChildren();
    if (this.campaign) {
      this.source.replaceChildren();
      this.meanings.replaceChildren();
      this.terms.replaceChildren(element("p", { class: "quiet small" }, "The file says what is tuned. Limit and seed below replace those of the file if they are filled in."));
      this.limit.value = "";
      return;
    }
    if (this.limit.value === "") this.limit.value = "10000";
    const named = (list) => list.map(({ name }) => [name, name]);
    const depth = this.player.options.find(({ kind }) => kind === "depth");
    const boards = this.player.options.filter(({ changes }) => changes === "board");
    const heuristics = [["", "the player's own terms"], ...this.about.heuristics.map((name) => [name, name])];
    const again = (change) => (value) => { change(value); this.options = {}; this.show(); };
    const option = (one) => {
      const set = (text) => {
        if (text === "" || text === String(one.default)) delete this.options[one.key];
        else this.options[one.key] = ["whole", "depth"].includes(one.kind) && text !== "adaptive" ? Number(text) : text;
      };
      const label = titled(one.key);
      if (one.kind === "depth") {
        const depths = Array.from({ length: one.most - one.least + 1 }, (_, index) => String(index + one.least)).filter((at) => Number(at) <= 4);
        if (depths.includes("1") && this.options[one.key] === undefined) this.options[one.key] = 1;
        return field(label, choice(depths.map((at) => [at, at]), String(this.options[one.key] ?? one.default), set));
      }
      if (one.kind === "choice") return field(label, choice(one.names.map((name) => [name, name]), one.default, set));
      return field(label, element("input", { value: this.options[one.key] ?? one.default ?? "", autocomplete: "off", onchange: (event) => set(event.target.value) }));
    };
    this.source.replaceChildren(
      field("Game", choice(named(this.games), this.game.name, again((name) => {
        this.game = this.games.find((game) => game.name === name);
        [this.player] = this.tunable(this.game);
      }))),
      field("Player", choice(named(this.tunable(this.game)), this.player.name, again((name) => { this.player = this.tunable(this.game).find((player) => player.name === name); }))),
      this.about.heuristics.length > 0 ? field("Terms", choice(heuristics, this.heuristic, again((name) => { this.heuristic = name; }))) : "",
      ...boards.map(option), depth ? option(depth) : "");
    this.meanings.replaceChildren(...meanings([...boards, ...(depth ? [depth] : [])]));
    try {
      const found = await ask("/api/steer/parameters", { player: this.asked(), ...(this.heuristic ? { heuristic: this.heuristic } : {}) }, signal);
      this.rows = found.map((parameter) => this.row(parameter));
      this.drawTerms();
    } catch (error) {
      if (signal.aborted) return;
      this.rows = [];
      this.terms.replaceChildren(element("p", { class: "notice bad", role: "alert" }, error.message));
    }
  }

  row(parameter) {
    const number = (value, label) => element("input", { value, size: 7, inputmode: "decimal", autocomplete: "off", "aria-label": `${label} of ${parameter.key}` });
    return {
      parameter,
      isTuned: element("input", { type: "checkbox", checked: parameter.is_suggested, "aria-label": `tune ${parameter.key}` }),
      min: number(parameter.min, "lower bound"),
      max: number(parameter.max, "upper bound"),
      isLogarithmic: element("input", { type: "checkbox", checked: parameter.is_logarithmic, "aria-label": `search ratios of ${parameter.key}` }),
    };
  }

  drawTerms() {
    const head = ["tune", "term", "start", "from", "to", "ratios"].map((text) => element("th", { scope: "col" }, text));
    const rows = this.rows.map(({ parameter, isTuned, min, max, isLogarithmic }) => element("tr", {},
      element("td", {}, isTuned),
      element("th", { scope: "row" }, parameter.key, element("br"), element("span", { class: "quiet small" }, parameter.about)),
      element("td", { class: "number", "data-label": "start" }, String(Number(parameter.start.toPrecision(6)))),
      element("td", { "data-label": "from" }, min), element("td", { "data-label": "to" }, max), element("td", { "data-label": "ratios" }, isLogarithmic)));
    const set = (isOn) => this.rows.forEach(({ isTuned }) => { isTuned.checked = isOn; });
    this.terms.replaceChildren(
      element("div", { class: "row" },
        element("button", { type: "button", onclick: () => set(true) }, "All"),
        element("button", { type: "button", onclick: () => set(false) }, "None"),
        element("button", { type: "button", onclick: () => this.rows.forEach(({ isTuned, parameter }) => { isTuned.checked = parameter.is_suggested; }) }, "Those in use")),
      scroller("Terms and their bounds", {},
        element("table", { class: "terms-table" }, element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows))),
      element("p", { class: "quiet small" }, "“ratios” searches factors instead of differences, for weights that can be ten times larger or smaller. Terms that are not tuned keep their start."));
  }

  asked() {
    return { name: this.player.name, game: this.game.name, ...this.options };
  }

  /** The campaign as the server takes it. */
  request() {
    const budget = this.limit.value.trim() === "" ? {} : { [this.unit.value]: Number(this.limit.value) };
    const seed = this.seed.value.trim() === "" ? {} : { seed: Number(this.seed.value) };
    if (this.campaign) return { campaign: this.campaign, budget, ...seed };
    const parameters = {};
    for (const { parameter, isTuned, min, max, isLogarithmic } of this.rows) {
      if (isTuned.checked) parameters[parameter.key] = { min: Number(min.value), max: Number(max.value), is_logarithmic: isLogarithmic.checked };
    }
    const request = { player: this.asked(), budget, parameters, hold_out: Number(this.holdOut.value), ...seed };
    if (this.heuristic) request.heuristic = this.heuristic;
    if (this.name.value.trim()) request.name = this.name.value.trim();
    if (this.why.value.trim()) request.why = this.why.value.trim();
    return request;
  }

  async send(route, words, signal) {
    this.said.textContent = words;
    this.said.classList.remove("bad");
    try {
      const answer = await ask(`/api/steer/${route}`, this.request(), signal);
      this.said.textContent = "";
      return answer;
    } catch (error) {
      if (signal.aborted) {
        this.said.textContent = "";
        return null;
      }
      this.said.textContent = error.message;
      this.said.classList.add("bad");
      return null;
    }
  }

  async plan() {
    const answer = await this.send("plan", "Timing a few games …", this.planning.next());
    if (!answer) return;
    this.preview.replaceChildren(
      element("h2", {}, "Plan"), scroller("Plan", { class: "card" }, element("pre", {}, answer.plan)),
      element("h2", {}, "The file"), scroller("The file", { class: "card" }, element("pre", {}, answer.toml)),
      element("p", { class: "small quiet" }, "The same in a terminal:"), command(answer.command));
  }

  async start() {
    const answer = await this.send("start", "Starting …", this.ended.signal);
    if (answer) location.hash = address(answer.run);
  }
}
