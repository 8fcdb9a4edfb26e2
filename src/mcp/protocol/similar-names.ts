const MAX_SUGGESTIONS = 3;

/** The names most like a wrong one, best first; empty where none is near. */
export function similarNames(wrong: string, names: Iterable<string>): string[] {
  const asked = simplify(wrong.slice(0, 128));
  const scored = [...names].map((name) => ({ name, distance: distanceBetween(asked, simplify(name)) }));
  return scored
    .filter(({ name, distance }) => distance <= name.length / 2)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
}

/** Whether only what clients do to names makes them differ. */
export const isSameName = (one: string, other: string): boolean => simplify(one) === simplify(other);

/** Clients prefix names with that of the server (`mcp__x__name`) and change their case. */
const simplify = (name: string): string =>
  name
    .replace(/^.*__/, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();

/** Edits between two texts, less for each word they share. */
function distanceBetween(a: string, b: string): number {
  const words = new Set(a.split('_'));
  return editsBetween(a, b) - 3 * b.split('_').filter((word) => words.has(word)).length;
}

/** Levenshtein's distance, row by row: `row[j]` is the distance of what was read of `a` from the first `j` of `b`. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, letter] of [...a].entries()) {
    let left = i + 1;
    let aboveLeft = i;
    row = row.map((above, j) => {
      if (j > 0) left = Math.min(above + 1, left + 1, aboveLeft + (letter === b[j - 1] ? 0 : 1));
      aboveLeft = above;
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
