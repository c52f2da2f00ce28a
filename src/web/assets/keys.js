// Keys of a board keep working after a click on a control: a control that was clicked gives its focus back. A control
// that was reached by keys keeps it, and so do those of Lab, whose board takes no keys: a slider is moved on by keys there.

const ONCE = "select, input[type='range'], input[type='checkbox'], input[type='radio']";

let isByPointer = false;

/** Begins to watch the page. */
export function keepKeys() {
  const hasBoard = () => document.querySelector("#main .board") !== null;
  const release = (control) => {
    if (isByPointer && control && control === document.activeElement && hasBoard() && !control.closest(".lab")) control.blur();
  };
  addEventListener("pointerdown", () => { isByPointer = true; }, true);
  addEventListener("keydown", () => { isByPointer = false; }, true);
  addEventListener("change", (event) => release(event.target.closest(ONCE)));
  addEventListener("pointerup", (event) => release(event.target.closest?.("input[type='range']")));
  addEventListener("click", (event) => release(event.target.closest?.("button, summary")));
}
