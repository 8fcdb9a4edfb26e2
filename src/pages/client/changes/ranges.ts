import type { Comment, Side } from './comments.js';
import type { DiffLine } from './unified-diff.js';

/** Rows that were picked, in the order of the hand: `to` may come before `from`. */
export interface Picked {
  side: Side;
  from: number;
  to: number;
}

/** What a comment will be made on. */
export interface Range extends Pick<Comment, 'side' | 'line' | 'end_line'> {
  /** Its first and its last row. */
  first: number;
  last: number;
}

/** The lines of the picked rows on their side; null where none has one. */
export function rangeOf(lines: readonly DiffLine[], { side, from, to }: Picked): Range | null {
  const start = Math.min(from, to);
  const rows = lines
    .slice(start, Math.max(from, to) + 1)
    .flatMap((line, at) => (line[side] === null ? [] : [{ row: start + at, line: line[side] }]));
  const [head, tail] = [rows[0], rows.at(-1)];
  return head && tail ? { side, line: head.line, end_line: tail.line, first: head.row, last: tail.row } : null;
}

/** The side of a row that a comment is about if nobody says: what is there now. */
export const sideOf = (line: DiffLine): Side => (line.new === null ? 'old' : 'new');

/** Comments by the row below which they stand, and those whose lines are not shown or have changed. */
export function placed(
  lines: readonly DiffLine[],
  comments: readonly Comment[],
): { byRow: Map<number, Comment[]>; others: Comment[] } {
  const rows = new Map<string, number>();
  if (comments.length > 0)
    for (const [at, line] of lines.entries())
      for (const side of ['old', 'new'] as const) if (line[side] !== null) rows.set(`${side} ${line[side]}`, at);
  const byRow = new Map<number, Comment[]>();
  const others: Comment[] = [];
  for (const comment of comments) {
    const row = comment.outdated ? undefined : rows.get(`${comment.side} ${comment.end_line}`);
    if (row === undefined) others.push(comment);
    else byRow.set(row, [...(byRow.get(row) ?? []), comment]);
  }
  return { byRow, others };
}
