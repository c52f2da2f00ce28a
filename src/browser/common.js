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

// The first visible button with these words.
function buttonOf(words) {
  const all = [...document.querySelectorAll("button, a, [role=button], input[type=button]")];
  return all.find((one) => words.test(one.value || one.textContent) && isVisible(one)) ?? null;
}

// Begins another game by the page's own button; without one by the key R.
function restart() {
  const known = [...document.querySelectorAll(".retry-button, .restart-button, .new-game-button")];
  const words = /^\W*((start )?(a )?new game|(try|play) again|restart( game)?|start over|reset( game)?)\W*$/i;
  const button = known.find(isVisible) ?? buttonOf(words);
  if (button) button.click();
  else pressKey("r", "KeyR", 82);
}
