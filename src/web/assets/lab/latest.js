// One request at a time: while one is on its way, only the newest of the later ones is kept.

/** Milliseconds that a request may take when a newer one waits. Then it is ended, and the server stops its search. */
const PATIENCE = 60;

export class Latest {
  /** `send(asked, signal)` returns a promise; `done(answer, asked)` and `fail(error)` get its outcome. */
  constructor(send, done, fail) {
    Object.assign(this, { send, done, fail, next: null, turn: null, begun: 0 });
  }

  /** Asks, in place of what waits. What is on its way ends soon. */
  ask(asked) {
    this.next = { asked };
    if (!this.turn) this.#go();
    else this.#hurry();
  }

  /** Ends everything. */
  end() {
    this.next = null;
    clearTimeout(this.timer);
    this.turn?.abort();
    this.turn = null;
  }

  #hurry() {
    const { turn } = this;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (this.turn === turn && this.next) turn.abort(); }, Math.max(0, this.begun + PATIENCE - performance.now()));
  }

  async #go() {
    const { asked } = this.next;
    this.next = null;
    const turn = new AbortController();
    this.turn = turn;
    this.begun = performance.now();
    try {
      const answer = await this.send(asked, turn.signal);
      if (this.turn === turn) this.done(answer, asked);
    } catch (error) {
      if (this.turn === turn && error.name !== "AbortError") this.fail(error);
    }
    if (this.turn !== turn) return;
    this.turn = null;
    if (this.next) this.#go();
  }
}
