/** To compare two paths takes 25 µs, during which a server does nothing else. */
const MOST_COMPARED = 2_000;

/** The path most like a wrong one, rather one of the same file name; null where there is none.
 *  @param paths that exist */
export function nearestPath(wrong: string, paths: Iterable<string>): string | null {
  const all = [...paths];
  const name = wrong.slice(wrong.lastIndexOf('/') + 1);
  const ofThatName = all.filter((path) => path.endsWith(`/${name}`));
  const wanted = pairsOf(wrong);
  let nearest: { path: string; likeness: number } | null = null;
  for (const path of (ofThatName.length > 0 ? ofThatName : all).slice(0, MOST_COMPARED)) {
    const likeness = likenessOf(wanted, pairsOf(path));
    if (nearest === null || likeness > nearest.likeness) nearest = { path, likeness };
  }
  return nearest?.path ?? null;
}

/** How many pairs of characters they share, of all that they have. */
function likenessOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of other) if (one.has(pair)) shared += 1;
  return shared / (one.size + other.size);
}

function pairsOf(path: string): Set<string> {
  const text = path.toLowerCase();
  return new Set(Array.from({ length: text.length }, (_, at) => text.slice(at, at + 2)));
}
