import type { DiffLine } from './unified-diff.js';

/** What stands on one height: places of lines. In one column, and for a line between hunks, both are the same. */
export interface Row {
  old: number | null;
  new: number | null;
}

/** Rows are drawn in parts, of which those out of sight cost no layout. */
const SLAB_ROWS = 50;

export const SIDES = ['old', 'new'] as const;

export function rowsOf(lines: readonly DiffLine[], isSplit: boolean): Row[] {
  if (!isSplit) return lines.map((_, at) => ({ old: at, new: at }));
  const rows: Row[] = [];
  let gone: number[] = [];
  let come: number[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(gone.length, come.length); at += 1)
      rows.push({ old: gone[at] ?? null, new: come[at] ?? null });
    [gone, come] = [[], []];
  };
  for (const [at, { kind }] of lines.entries()) {
    if (kind === 'deleted') gone.push(at);
    else if (kind === 'added') come.push(at);
    else {
      flush();
      rows.push({ old: at, new: at });
    }
  }
  flush();
  return rows;
}

/** Places of the lines of a row, each once. */
export const placesOf = (row: Row): number[] => [...new Set([row.old, row.new])].filter((place) => place !== null);

export interface Slab {
  rows: Row[];
  places: ReadonlySet<number>;
}

export function slabsOf(rows: readonly Row[]): Slab[] {
  const slabs: Slab[] = [];
  for (let from = 0; from < rows.length; from += SLAB_ROWS) {
    const own = rows.slice(from, from + SLAB_ROWS);
    slabs.push({ rows: own, places: new Set(own.flatMap(placesOf)) });
  }
  return slabs;
}
