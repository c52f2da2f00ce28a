// Reads a page that shows its board as a grid of cells with numbers, whatever its elements are called. It declares the functions of
// a page adapter (docs/page-adapter.md).

// The centre and the size of an element.
function box(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2, width, height };
}

// The centres of boxes along an axis, each once; null if they are not at equal distances.
function lines(boxes, axis, size) {
  const least = Math.min(...boxes.map((one) => one[size]));
  const sorted = boxes.map((one) => one[axis]).sort((one, other) => one - other);
  const found = sorted.filter((at, index) => index === 0 || at - sorted[index - 1] > least / 2);
  const steps = found.slice(1).map((at, index) => at - found[index]);
  const isEven = Math.max(...steps) < 1.3 * Math.min(...steps) && Math.min(...steps) > 0.9 * least;
  return found.length >= 2 && found.length <= 10 && isEven ? found : null;
}

// The index of the line at a place; -1 between lines and outside.
function lineAt(found, at) {
  const step = found[1] - found[0];
  return found.findIndex((line) => Math.abs(at - line) < 0.3 * step);
}

// The grid that elements form: the centres of its rows and columns. Null if a cell is missing.
function gridOf(elements) {
  if (elements.length < 6 || elements.length > 200) return null;
  const isCell = (one) => /^\d{0,6}$/.test(one.textContent.trim());
  let boxes = elements.filter(isCell).map(box);
  if (boxes.length < 6) return null;
  // Something else can lie over the cells, such as a message.
  for (const size of ["width", "height"]) {
    const usual = boxes.map((one) => one[size]).sort((one, other) => one - other)[boxes.length >> 1];
    boxes = boxes.filter((one) => one[size] >= 12 && one[size] > usual / 2 && one[size] < 1.5 * usual);
  }
  if (boxes.length < 6) return null;
  const [columns, rows] = [lines(boxes, "x", "width"), lines(boxes, "y", "height")];
  if (rows === null || columns === null) return null;
  const places = boxes.map((one) => [lineAt(rows, one.y), lineAt(columns, one.x)]);
  const cells = new Set(places.filter((place) => !place.includes(-1)).map((place) => place.join()));
  return cells.size === rows.length * columns.length ? { rows, columns } : null;
}

// Whether an element can be seen. Pages hide tiles that were merged by transparency or by a scale of 0.
function isSeen(element) {
  const { width, height } = box(element);
  return width > 3 && height > 3 && element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
}

// The numbers that the page shows, with their places: texts of digits, and images that are named by a number.
function numbers() {
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode.data.trim();
    const element = texts.currentNode.parentElement;
    if (/^\d{1,6}$/.test(text) && isSeen(element)) found.push({ ...box(element), value: Number(text) });
  }
  for (const image of document.images) {
    const named = /^(\d+)$/.exec(image.alt.trim()) ?? /(\d+)\.\w+$/.exec(image.src.split(/[?#]/)[0]);
    if (named && isSeen(image)) found.push({ ...box(image), value: Number(named[1]) });
  }
  return found;
}

// The board that a grid shows, row by row; null if it has another number than the tiles of 2048.
function boardOf({ rows, columns }, all) {
  const board = rows.map(() => Array(columns.length).fill(0));
  for (const { x, y, value } of all) {
    const [row, column] = [lineAt(rows, y), lineAt(columns, x)];
    if (row < 0 || column < 0) continue;
    const isTile = value === 0 || (value >= 2 && Number.isInteger(Math.log2(value)));
    if (!isTile) return null;
    // A tile that is just made can lie over the two that it is made of.
    board[row][column] = Math.max(board[row][column], value);
  }
  return board;
}

// The board of the page, as the element of its cells and its rows: the grid with most tiles, among these the one with most cells,
// because the tiles alone can form a grid by chance. Null without one.
function find() {
  const all = numbers();
  let found = null;
  if (!all.some(({ value }) => value > 1)) return null;
  for (const element of document.body.querySelectorAll("*")) {
    const children = [...element.children];
    if (children.length < 2 || !isVisible(element)) continue;
    for (const elements of [children, children.flatMap((child) => [...child.children])]) {
      const grid = gridOf(elements);
      const rows = grid && boardOf(grid, all);
      const cells = rows ? rows.flat() : [];
      const tiles = cells.filter((value) => value > 0).length;
      const rank = tiles > 0 ? 1000 * tiles + cells.length : 0;
      if (rank > (found ? found.rank : 0)) found = { element, rows, rank };
    }
  }
  return found;
}

// The score: the number after the word, or that of an element named so.
function score() {
  for (const element of document.body.querySelectorAll("*")) {
    const text = element.textContent.length < 60 ? element.textContent.trim() : "";
    // What a move has gained can stand behind it.
    const after = /^(?:your |current )?score\W{0,3}(\d[\d,]*)(?:\s*\+\d+)?$/i.exec(text);
    const name = `${element.id} ${element.getAttribute("class")}`;
    const isScore = /score/i.test(name) && !/best|high|top|max|record/i.test(name);
    const alone = isScore && /^(\d[\d,]*)(?:\s*\+\d+)?$/.exec(text);
    const number = after || alone;
    if (number && isVisible(element)) return Number(number[1].replaceAll(",", ""));
  }
  return null;
}

// Ends the animations of an element: a tile on its way looks like a new one. True if there were any. An animation without an
// effect moves nothing.
function settle(element) {
  const isMoving = (one) => one.playState === "running" && Number.isFinite(one.effect?.getComputedTiming().endTime);
  const moving = element.getAnimations({ subtree: true }).filter(isMoving);
  moving.forEach((one) => one.finish());
  return moving.length > 0;
}

function read() {
  let board = find();
  if (board && settle(board.element)) board = find();
  return board && { board: board.rows, score: score() };
}

function press(direction) {
  const goOn = buttonOf(/^\W*(keep (going|playing)|continue( playing| game)?)\W*$/i);
  if (goOn) goOn.click();
  const board = find();
  pressArrow(direction, board && board.element);
}
