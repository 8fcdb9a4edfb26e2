import type { ComponentChild } from 'preact';
import { type Paint, useColours } from './colours/paint.js';
import type { Span } from './colours/spans.js';
import type { Side } from './comments.js';
import { MoreButtons } from './more-buttons.js';
import { type Row, SIDES, type Slab } from './rows.js';
import type { DiffLine } from './unified-diff.js';

interface SlabProps {
  lines: readonly DiffLine[];
  slab: Slab;
  isSplit: boolean;
  paint: Paint;
  isPicked?: (place: number, half: Side | null) => boolean;
  /** What stands below a row. */
  below?: (row: Row) => ComponentChild[];
}

/** Some rows of a diff. Elements rather than components for each, because there are thousands. */
export function SlabView({ lines, slab, isSplit, paint, isPicked, below }: SlabProps) {
  useColours(paint, slab.places);
  const line = (place: number, side: Side | null) =>
    drawn(lines[place]!, { place, side, isPicked: isPicked?.(place, side) ?? false, spans: paint.of(place) });
  const row = ({ old, new: now }: Row) => {
    if (!isSplit || lines[old ?? now!]!.kind === 'hunk') return line(old!, null);
    return (
      <div key={`${old} ${now}`} class="pair">
        {SIDES.map((side) => {
          const place = side === 'old' ? old : now;
          return place === null ? <div key={side} class="diff-line none" /> : line(place, side);
        })}
      </div>
    );
  };
  return <div class="slab">{slab.rows.flatMap((one) => [row(one), ...(below?.(one) ?? [])])}</div>;
}

interface Drawn {
  place: number;
  /** The half it stands in; null where there is one column. */
  side: Side | null;
  isPicked: boolean;
  spans: Span[] | undefined;
}

/** Numbers and signs are drawn by the style: what is selected and copied is text alone. */
function drawn(line: DiffLine, { place, side, isPicked, spans }: Drawn) {
  const number = line.new ?? line.old;
  return (
    <div
      key={side ?? place}
      class={`diff-line ${line.kind}${isPicked ? ' picked' : ''}`}
      data-row={place}
      data-side={side}
      {...(line.start && { tabIndex: -1 })}
    >
      {side !== 'new' && <span class="number" data-number={line.old} />}
      {side !== 'old' && <span class="number" data-number={line.new} />}
      {number !== null && (
        <button
          type="button"
          class="comment"
          aria-label="Comment"
          title={`Comment on line ${number}; with Shift on all lines up to it`}
        />
      )}
      {line.gap && <MoreButtons gap={line.gap} />}
      <span class="text">{spans ? coloured(line.text, spans) : line.text}</span>
    </div>
  );
}

function coloured(text: string, spans: readonly Span[]) {
  let at = 0;
  return spans.map(([kind, length], index) => {
    const part = text.slice(at, (at += length));
    return kind === '' ? (
      part
    ) : (
      <span key={index} class={`code-${kind}`}>
        {part}
      </span>
    );
  });
}
