/** One line of the results. @typedef {{ what: string, result: string, floor: string, bar: string, isMet: boolean |
 *  null }} Figure */

/** A ratio against a named floor. */
export const ratio = (what, measured, floor, value, { atMost, atLeast }) => ({
  what,
  result: `${measured}: ${value.toFixed(2)} ×`,
  floor,
  bar: atMost === undefined ? `≥ ${atLeast} ×` : `≤ ${atMost} ×`,
  isMet: atMost === undefined ? value >= atLeast : value <= atMost,
});

/** A figure whose bar is a time or a size by itself; `times` is its ratio to the floor, told beside it. */
export const absolute = (what, value, unit, floor, { below, above, times }) => ({
  what,
  result: `${format(value)} ${unit}${times === undefined ? '' : `: ${times.toFixed(2)} ×`}`,
  floor,
  bar: below === undefined ? `≥ ${format(above)} ${unit}` : `< ${format(below)} ${unit}`,
  isMet: below === undefined ? value >= above : value < below,
});

/** Told for the reader, without a bar. */
export const aside = (what, result, floor = '') => ({ what, result, floor, bar: '', isMet: null });

export function format(value) {
  if (value >= 1_000) return Math.round(value).toLocaleString('en').replace(/,/g, ' ');
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
