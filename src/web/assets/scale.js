// Numbers as text.

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
