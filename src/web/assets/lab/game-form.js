// The choice of a recorded game of a run.

import { choice, element, field } from "../dom.js";

const WHICH = [["tuned", "hold-out, tuned weights"], ["start", "hold-out, start weights"], ["candidate", "candidate of the search"], ["finalist", "finalist of the race"]];

/** A form that leads to the page of a recorded game of a run. */
export function gameForm(run) {
  const number = (name, label) => {
    const input = element("input", { type: "number", min: 0, step: 1, value: 0, name, size: 6 });
    return { input, label: field(label, input) };
  };
  const generation = number("generation", "Generation");
  const candidate = number("candidate", "Candidate");
  const finalist = number("finalist", "Finalist");
  const index = number("index", "Game");
  let which = "tuned";
  const show = () => {
    for (const one of [generation, candidate]) one.label.classList.toggle("hidden", which !== "candidate");
    finalist.label.classList.toggle("hidden", which !== "finalist");
  };
  const open = (event) => {
    event.preventDefault();
    const params = { run, index: index.input.value };
    if (which === "candidate") Object.assign(params, { generation: generation.input.value, candidate: candidate.input.value });
    else if (which === "finalist") params.finalist = finalist.input.value;
    else params.hold_out = which;
    location.hash = `#/game?${new URLSearchParams(params)}`;
  };
  show();
  const list = field("Which", choice(WHICH, which, (value) => { which = value; show(); }, { name: "which" }));
  list.classList.add("wide");
  return element("details", {}, element("summary", {}, "Step through a recorded game"),
    element("form", { class: "tight", onsubmit: open },
      element("div", { class: "fields" },
        list, generation.label, candidate.label, finalist.label, index.label),
      element("div", { class: "row" }, element("button", { class: "main" }, "Open"))));
}
