// Axes: from values to pixels, ticks at round values, and numbers as text.

/** A value of any magnitude with about four digits; an en dash for none. */
export function compact(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (size === 0) return "0";
  if (size < 1e-4 || size >= 1e9) return sign + size.toExponential(2);
  const digits = Math.max(0, 3 - Math.floor(Math.log10(size)));
  return sign + size.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 7) });
}

/** The smallest of 1, 2, 5 times a power of ten that is not smaller than a value. */
function round(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = value / power;
  return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

/** Ticks of a linear axis between two values, about `count`. */
function linearTicks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  const step = round(span / (count + 1));
  const ticks = [];
  for (let number = Math.ceil(low / step - 1e-9); number * step <= high + step * 1e-9; number += 1) {
    // Not the sum of steps, whose errors add up.
    ticks.push(Number((number * step).toPrecision(12)));
  }
  return ticks;
}

/** Ticks of a logarithmic axis: powers of ten, with 2 and 5 times these if there are few. */
function logTicks(low, high, count) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const within = (factors) => {
    const ticks = [];
    for (let power = first; power <= last; power += 1) {
      for (const factor of factors) {
        const value = Number((factor * 10 ** power).toPrecision(12));
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push(value);
      }
    }
    return ticks;
  };
  const powers = within([1]);
  if (powers.length >= 3 || last - first > count) {
    const every = Math.ceil(powers.length / count);
    return powers.filter((_, index) => index % every === 0);
  }
  const more = within([1, 2, 5]);
  return more.length >= 2 ? more : linearTicks(low, high, count);
}

/** An axis from `low` and `high` to the pixels `from` and `to`. */
export function axis({ low, high, from, to, isLogarithmic = false, count = 5, ticks }) {
  const place = isLogarithmic ? (value) => Math.log(value) : (value) => value;
  const [start, end] = [place(low), place(high)];
  const scale = end > start ? (to - from) / (end - start) : 0;
  return {
    low,
    high,
    /** The pixel of a value. */
    at: (value) => from + (place(value) - start) * scale,
    /** The value at a pixel. */
    value: (pixel) => {
      const value = scale === 0 ? start : start + (pixel - from) / scale;
      return isLogarithmic ? Math.exp(value) : value;
    },
    ticks: ticks ?? (isLogarithmic ? logTicks : linearTicks)(low, high, count),
  };
}

/** Ends of an axis around values, with a little room; a range of its own if there are none. */
export function around(low, high, isLogarithmic) {
  if (!(high >= low)) return isLogarithmic ? [0.1, 1] : [0, 1];
  if (isLogarithmic) {
    const room = Math.max((high / low) ** 0.05, 1.05);
    return [low / room, high * room];
  }
  const room = high > low ? 0.05 * (high - low) : Math.max(Math.abs(high) * 0.05, 0.5);
  // An axis of positive values that come near 0 begins there.
  const begin = low >= 0 && low < 0.3 * high ? 0 : low - room;
  return [begin, high + room];
}

/** A time in words: two units at most. */
export function duration(seconds) {
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  let left = Math.max(0, Math.round(seconds));
  const words = [];
  for (const [name, size] of units) {
    const number = Math.floor(left / size);
    left -= number * size;
    if (number > 0 || words.length > 0) words.push(`${number} ${name}`);
    if (words.length === 2) break;
  }
  return words.length === 0 ? "0 s" : words.filter((word, index) => index === 0 || !word.startsWith("0 ")).join(" ");
}

/** A size as `820 B`, `12 kB` or `3.4 MB`. */
export function bytes(size) {
  let [value, unit] = [size, "B"];
  for (const larger of ["kB", "MB", "GB"]) {
    if (value < 1000) break;
    value /= 1000;
    unit = larger;
  }
  return `${unit === "B" || value >= 10 ? Math.round(value) : value.toFixed(1)} ${unit}`;
}
