// What the scripts of pages share. It stands before page.js and grid.js.

function isVisible(element) {
  return element.getClientRects().length > 0;
}

// Presses and releases a key on an element, as an event of the page. Some pages listen to one, some to the other.
function pressKey(key, code, number, element) {
  const keys = { key, code, keyCode: number, which: number };
  for (const name of ["keydown", "keyup"]) {
    const event = new KeyboardEvent(name, { ...keys, bubbles: true, cancelable: true });
    (element ?? document.body ?? document).dispatchEvent(event);
  }
}

// Presses the key of a move, "up", "down", "left" or "right".
function pressArrow(direction, element) {
  const name = "Arrow" + direction[0].toUpperCase() + direction.slice(1);
  pressKey(name, name, { left: 37, up: 38, right: 39, down: 40 }[direction], element);
}

// Whether nothing lies over an element.
function isInFront(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  const front = document.elementFromPoint(left + width / 2, top + height / 2);
  return front !== null && element.contains(front);
}

// A visible button with these words, one in front of others if there is one.
function buttonOf(words) {
  const all = [...document.querySelectorAll("button, a, [role=button], input[type=button]")];
  const named = all.filter((one) => words.test(one.value || one.textContent) && isVisible(one));
  return named.find(isInFront) ?? named[0] ?? null;
}

// Begins another game by the page's own button; without one by the key R. If the page asks whether it should, a second call
// answers.
function restart() {
  const known = [...document.querySelectorAll(".retry-button, .restart-button, .new-game-button")];
  const again = buttonOf(/^\W*(try|play) again\W*$/i);
  const anew = buttonOf(/^\W*((start )?(a )?new game|restart( game)?|start over|reset( game)?)\W*$/i);
  const all = [known.find(isVisible), again, anew].filter(Boolean);
  const button = all.find(isInFront) ?? all[0];
  if (button) button.click();
  else pressKey("r", "KeyR", 82);
}
