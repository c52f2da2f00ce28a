// Games with the weights of the page against those that it began with; the results grow while they are played.

import { isAborted } from "../api.js";
import { element, field, scroller } from "../dom.js";
import { listen } from "../events.js";
import { compact } from "../scale.js";
import { difference } from "./numbers.js";

const WORDS = { better: "These weights are better.", worse: "These weights are worse.", "no difference shown": "No difference is shown." };

const BEFORE = /^These results are of the weights before the last change\. /;

export class GamesPanel {
  /** `asked()` has the request without the number of games. */
  constructor(asked) {
    this.asked = asked;
    this.turn = null;
    this.count = element("input", { type: "number", min: 2, max: 1000, step: 1, value: 100, name: "games" });
    this.button = element("button", { type: "button", class: "main", onclick: () => this.#press() }, "Play the games");
    this.progress = element("progress", { class: "hidden", max: 1, value: 0, "aria-label": "games played" });
    this.words = element("p", { class: "small", role: "status" });
    this.result = scroller("Results of the games", { class: "hidden" });
    this.element = element("div", { class: "tight" },
      element("p", { class: "quiet small" }, "The same seeds are played with these weights and with those that the page began with."),
      element("div", { class: "fields" }, field("Games", this.count)),
      element("div", { class: "row" }, this.button), this.progress, this.words, this.result);
  }

  /** The weights have changed: games of the old ones end, and their results are marked. */
  changed() {
    if (this.turn) this.stop();
    if (this.result.childElementCount > 0) this.words.textContent = "These results are of the weights before the last change. " + this.words.textContent.replace(BEFORE, "");
  }

  stop() {
    this.turn?.abort();
    this.turn = null;
    this.button.textContent = "Play the games";
    this.progress.classList.add("hidden");
  }

  async #press() {
    if (this.turn) {
      this.stop();
      this.words.textContent = this.played ? `Stopped after ${this.played} games each.` : "Stopped.";
      return;
    }
    const turn = new AbortController();
    this.turn = turn;
    this.button.textContent = "Stop";
    this.isComplete = false;
    this.played = 0;
    this.words.textContent = "The first games are being played …";
    this.progress.value = 0;
    this.progress.classList.remove("hidden");
    try {
      await listen("/api/lab/games", { ...this.asked(), games: Number(this.count.value) }, { games: (found) => this.#show(found) }, turn.signal);
      if (this.turn === turn && !this.isComplete) this.words.textContent = "The server has ended the games, which took too long. " + this.words.textContent;
    } catch (error) {
      if (!isAborted(error)) this.words.textContent = error.message;
    }
    if (this.turn === turn) this.stop();
  }

  #show({ games, of, now, start, difference: between, verdict, is_last: isLast }) {
    this.progress.value = games / of;
    this.played = games;
    this.isComplete = isLast;
    const interval = (ends) => (ends ? `${compact(ends[0])} to ${compact(ends[1])}` : "–");
    const cells = (...texts) => texts.map((text) => element("td", { class: "number" }, text));
    const row = (name, mean, ends) => element("tr", {}, element("th", { scope: "row" }, name), cells(mean, ends));
    const head = ["", "mean score", "95 % interval"].map((text, at) => (text ? element("th", { scope: "col", class: at > 0 ? "number" : null }, text) : element("td", {})));
    this.result.classList.remove("hidden");
    this.result.replaceChildren(element("table", { class: "small" }, element("thead", {}, element("tr", {}, head)), element("tbody", {},
      row("these weights", compact(now.mean), interval(now.interval)),
      row("as they began", compact(start.mean), interval(start.interval)),
      row("difference", difference(between.mean), interval(between.interval)))));
    const verdicts = verdict ? WORDS[verdict] : "Too few games for a verdict.";
    this.words.textContent = `${games} of ${of} games each. ${isLast ? verdicts : "Not final: wait for the last game, however good it looks."}`;
  }
}
