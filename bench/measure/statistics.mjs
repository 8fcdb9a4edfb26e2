export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median of the ratios of what was measured side by side: a busy moment weighs on both. */
export const medianRatio = (values, floors) => median(values.map((value, index) => value / floors[index]));

/** Both halves of the time tell the same within 5 %. */
export function isSteady(values) {
  const half = values.length >> 1;
  const [early, late] = [median(values.slice(0, half)), median(values.slice(half))];
  return Math.abs(early - late) <= 0.05 * Math.min(early, late);
}

/** The value that so large a part of all stays below. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
