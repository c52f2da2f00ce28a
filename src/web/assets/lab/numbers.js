// Numbers of Lab: differences with their sign, and the places of sliders.

import { compact } from "../scale.js";

/** Number of steps of a slider. */
export const STEPS = 1000;

/** A difference with its sign; an en dash for none. */
export function difference(value) {
  if (value === null || value === undefined) return "–";
  const text = compact(Math.abs(value) < 5e-7 ? 0 : value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/** A value with about four digits, as it stands in a field of numbers. */
export const plain = (value) => String(Number(value.toPrecision(5)));

const isLogarithmic = (of) => of.is_logarithmic && of.min > 0;

/** The place of a value on a slider, from 0 to `STEPS`. */
export function placeOf(of, value) {
  const share = isLogarithmic(of) && value > 0 ? Math.log(value / of.min) / Math.log(of.max / of.min) : (value - of.min) / (of.max - of.min);
  return Math.round(Math.min(1, Math.max(0, share)) * STEPS);
}

/** The value at a place of a slider. */
export function valueAt(of, place) {
  const share = place / STEPS;
  const value = isLogarithmic(of) ? of.min * (of.max / of.min) ** share : of.min + (of.max - of.min) * share;
  return of.is_whole ? Math.round(value) : Number(value.toPrecision(5));
}
