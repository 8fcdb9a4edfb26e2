import type { DiffLine } from '../unified-diff.js';

/** What is coloured as one text: a side of a hunk. */
interface Piece {
  text: string;
  /** Places of its lines in the diff; null where a line is coloured with the other side, or not at all. */
  places: (number | null)[];
}

/** Longer ones are no text that a person reads, and thousands of elements. */
const MAX_LENGTH = 1_000;

/** The later state, and the former one where something is gone. A hunk is coloured by itself: what it does not show
 *  may have opened a comment, or closed it. */
export function piecesOf(lines: readonly DiffLine[]): Piece[] {
  const pieces: Piece[] = [];
  for (let from = 0; from < lines.length;) {
    const end = lines.findIndex(({ kind }, at) => at >= from && kind === 'hunk');
    const to = end < 0 ? lines.length : end;
    const hunk = lines.slice(from, to);
    if (hunk.some(({ kind }) => kind !== 'deleted')) pieces.push(pieceOf(hunk, from, 'added'));
    if (hunk.some(({ kind }) => kind === 'deleted')) pieces.push(pieceOf(hunk, from, 'deleted'));
    from = to + 1;
  }
  return pieces;
}

function pieceOf(hunk: readonly DiffLine[], from: number, own: 'added' | 'deleted'): Piece {
  const texts: string[] = [];
  const places: (number | null)[] = [];
  for (const [at, { kind, text }] of hunk.entries()) {
    if (kind !== own && kind !== 'context') continue;
    const isShort = text.length <= MAX_LENGTH;
    texts.push(isShort ? text : '');
    places.push(isShort && (kind === own || own === 'added') ? from + at : null);
  }
  return { text: texts.join('\n'), places };
}
