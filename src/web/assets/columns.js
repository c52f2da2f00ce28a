// What is drawn of a long column of numbers.

/** Index of the last element of a growing column that is not larger than a value; 0 if there is none. */
export function indexAt(column, value) {
  let [low, high] = [0, column.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (column[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The smallest and the largest value of each pixel: `place(pixel, first, low, high, last)` is called for each pixel that
 * has values, `gap()` where values are missing. `x` grows; `at` gives the pixel of a value of it. So a line of any
 * length has a few points for each pixel, and no peak is lost.
 */
export function eachPixel(x, y, at, place, gap = () => {}) {
  let pixel = null;
  let [first, low, high, last] = [0, 0, 0, 0];
  const flush = () => {
    if (pixel !== null) place(pixel, first, low, high, last);
    pixel = null;
  };
  for (let index = 0; index < y.length; index += 1) {
    const value = y[index];
    if (!Number.isFinite(value)) {
      flush();
      gap();
      continue;
    }
    const here = Math.round(at(x[index]));
    if (here !== pixel) {
      flush();
      [pixel, first, low, high] = [here, value, value, value];
    }
    if (value < low) low = value;
    if (value > high) high = value;
    last = value;
  }
  flush();
}
