// Weights as TOML or as a link, and a file that is opened or edited in the page.

import { ask, isAborted } from "../api.js";
import { element } from "../dom.js";

/** Largest file that is opened, in bytes: with the rest of a request the server's limit. */
const LARGEST = 48 * 1024;

export class Files {
  /** `setting()` is the present one, `open(text)` uses a text and returns what is wrong with it, `address()` is the link. */
  constructor(setting, open, address) {
    Object.assign(this, { setting, open, address });
    const button = (text, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, text);
    this.said = element("p", { class: "small", role: "status" });
    this.problem = element("div", { class: "notice bad file-problem hidden", role: "alert" });
    this.text = element("textarea", { class: "file", "aria-label": "Text of a heuristic file or a weights file", spellcheck: "false", wrap: "off" });
    this.picker = element("input", { type: "file", accept: ".toml,text/plain", class: "unseen", tabindex: -1, "aria-label": "Choose a file", onchange: () => this.#picked() });
    this.element = element("div", { class: "tight" },
      element("div", { class: "row" },
        button("Weights as TOML", () => this.#write()),
        button("Download", () => this.#download()),
        button("Copy link", () => this.#copy())),
      element("div", { class: "row" }, button("Open a file …", () => this.picker.click()), this.picker,
        this.use = button("Check and use this text", () => this.#use(), { class: "main" })),
      this.said, this.problem, this.text,
      element("p", { class: "quiet small" }, "A heuristic file or a weights file is checked as the command line checks it."));
  }

  /** The heuristic of the present setting, and the text of the file that is open. */
  opened(heuristic, file) {
    this.problem.classList.add("hidden");
    if (file !== null) this.text.value = file;
    else this.text.value = heuristic ?? "";
  }

  async #toml() {
    const { toml } = await ask("/api/lab/weights", { setting: this.setting() });
    return toml;
  }

  async #write() {
    await this.#try(async () => {
      this.text.value = await this.#toml();
      return "The text below is a weights file.";
    });
  }

  async #download() {
    await this.#try(async () => {
      const address = URL.createObjectURL(new Blob([await this.#toml()], { type: "application/toml" }));
      element("a", { href: address, download: "weights.toml" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
      return "weights.toml is downloaded.";
    });
  }

  async #copy() {
    const link = location.origin + location.pathname + this.address();
    try {
      await navigator.clipboard.writeText(link);
      this.said.textContent = "The link is copied.";
    } catch {
      this.said.replaceChildren(element("a", { href: link }, "link to this page"));
    }
  }

  async #picked() {
    const [file] = this.picker.files;
    this.picker.value = "";
    if (!file) return;
    if (file.size > LARGEST) {
      this.said.textContent = `The file has ${file.size} bytes; at most ${LARGEST} are opened here.`;
      return;
    }
    this.text.value = await file.text();
    this.text.scrollTop = 0;
    await this.#use();
  }

  async #use() {
    await this.#try(async () => {
      const wrong = await this.open(this.text.value);
      if (!wrong) return "The text is used.";
      this.#show(wrong);
      return "";
    });
  }

  /** The message with its line, as the command line prints it, and the cursor at the place. */
  #show({ message, help, line, column, length }) {
    const text = this.text.value;
    const parts = [message];
    if (line !== null) {
      const wrong = text.split("\n")[line - 1] ?? "";
      const number = String(line);
      parts.push(`line ${line}, column ${column}:`, `${number} | ${wrong}`, `${" ".repeat(number.length)} | ${" ".repeat(column - 1)}${"^".repeat(Math.max(1, Math.min(length, wrong.length - column + 1)))}`);
      const start = text.split("\n").slice(0, line - 1).reduce((all, one) => all + one.length + 1, 0) + column - 1;
      this.text.focus();
      this.text.setSelectionRange(start, start + Math.max(1, length));
      // A selection does not scroll by itself. Three lines before the mistake stay in sight.
      this.text.scrollTop = ((line - 4) * this.text.scrollHeight) / text.split("\n").length;
    }
    if (help) parts.push(`help: ${help}`);
    this.problem.textContent = parts.join("\n");
    this.problem.classList.remove("hidden");
  }

  async #try(action) {
    this.problem.classList.add("hidden");
    this.said.textContent = "";
    try {
      this.said.textContent = await action();
    } catch (error) {
      if (isAborted(error)) return;
      this.problem.textContent = error.message;
      this.problem.classList.remove("hidden");
    }
  }
}
