import { useMemo, useRef } from 'preact/hooks';
import { usePaint } from './colours/paint.js';
import type { Comment, Comments } from './comments.js';
import { LineComment } from './line-comment.js';
import { usePicking } from './picking.js';
import { Remark } from './remark.js';
import { placesOf, type Row, rowsOf, type Slab, slabsOf } from './rows.js';
import { MoreButtons } from './more-buttons.js';
import { SlabView } from './slab.js';
import type { DiffLine, Stretch } from './unified-diff.js';
import type { FileStat } from './viewed.js';

interface PatchLinesProps {
  attempt_id: string;
  file: FileStat;
  comments: Comments;
  lines: readonly DiffLine[];
  /** Comments by the line below which they stand. */
  byRow: ReadonlyMap<number, readonly Comment[]>;
  isSplit: boolean;
  wraps: boolean;
  /** The end is left out. */
  isCut: boolean;
  /** Left out at the end. */
  rest: Stretch | null;
  unfold: (stretch: Stretch) => void;
}

/** Lines in one column or side by side, with the comments below them. */
export function PatchLines({ attempt_id, file, comments, lines, byRow, ...shown }: PatchLinesProps) {
  const { isSplit, wraps, isCut, rest, unfold } = shown;
  const slabs = useMemo(() => slabsOf(rowsOf(lines, isSplit)), [lines, isSplit]);
  const paint = usePaint(file.path, lines);
  const plain = useMemo(
    () => slabs.map((slab, at) => <SlabView key={at} {...{ lines, slab, isSplit, paint }} />),
    [slabs, paint],
  );
  const group = useRef<HTMLDivElement>(null);
  const { range, isAsked, isPicked, close, listeners } = usePicking(lines);
  const below = (row: Row) => {
    const places = placesOf(row);
    const remarks = places
      .flatMap((place) => byRow.get(place) ?? [])
      .map((comment) => <Remark key={comment.comment_id} {...{ comment, comments }} />);
    const isHere = isAsked && range !== null && places.includes(range.last);
    return isHere
      ? [...remarks, <LineComment key="form" {...{ attempt_id, file, comments, lines, range, close }} />]
      : remarks;
  };
  const isTouched = ({ places }: Slab) =>
    [...byRow.keys()].some((place) => places.has(place)) || [...places].some((place) => isPicked(place, null));
  const onClick = (event: MouseEvent) => {
    const more = (event.target as Element).closest<HTMLElement>('.more');
    if (!more) return listeners.onClick(event);
    group.current?.focus({ preventScroll: true }); // the button goes
    close(); // rows get other places
    unfold({ from: Number(more.dataset.from), to: Number(more.dataset.to) });
  };
  return (
    <div
      ref={group}
      class={`patch${isSplit ? ' split' : ''}${wraps ? ' wraps' : ''}`}
      role="group"
      tabIndex={-1}
      aria-label={`Changes of ${file.path}`}
      {...{ ...listeners, onClick }}
    >
      {slabs.map((slab, at) =>
        isTouched(slab) ? <SlabView key={at} {...{ lines, slab, isSplit, paint, isPicked, below }} /> : plain[at],
      )}
      {rest && (
        <div class="diff-line hunk">
          <MoreButtons gap={rest} isEnd />
        </div>
      )}
      {isCut && <p class="notice">This is too long to be shown whole: what follows is left out.</p>}
    </div>
  );
}
