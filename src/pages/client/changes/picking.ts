import { useRef, useState } from 'preact/hooks';
import type { Side } from './comments.js';
import { type Picked, type Range, rangeOf, sideOf } from './ranges.js';
import type { DiffLine } from './unified-diff.js';

/** Rows are picked by their numbers (a click, Shift with another click, or a drag) or by their button (Shift extends
 *  to it, too). One listener for all of thousands of rows. */
export function usePicking(lines: readonly DiffLine[]) {
  const [picked, setPicked] = useState<Picked | null>(null);
  const [isAsked, setAsked] = useState(false);
  const isDragged = useRef(false);
  const range: Range | null = picked && rangeOf(lines, picked);

  const pick = (row: number, side: Side, isExtended: boolean) =>
    setPicked((before) => (isExtended && before ? { ...before, to: row } : { side, from: row, to: row }));
  const drop = () => {
    isDragged.current = false;
    setAsked(true);
  };
  return {
    range,
    /** The form is wanted. */
    isAsked: isAsked && range !== null,
    /** @param half in which the line stands; null where there is one column */
    isPicked: (place: number, half: Side | null) =>
      range !== null && place >= range.first && place <= range.last && (half ?? range.side) === range.side,
    close: () => {
      setPicked(null);
      setAsked(false);
    },
    listeners: {
      onPointerDown: (event: PointerEvent) => {
        const number = closest(event, '.number[data-number]');
        if (!number || event.button !== 0 || event.pointerType === 'touch') return;
        event.preventDefault(); // selects no text
        isDragged.current = true;
        document.addEventListener('pointerup', drop, { once: true });
        setAsked(false);
        pick(rowOf(number), halfOf(number) ?? (number.previousElementSibling ? 'new' : 'old'), event.shiftKey);
      },
      onPointerOver: (event: PointerEvent) => {
        const row = isDragged.current ? closest(event, '.diff-line[data-row]') : null;
        if (row) setPicked((before) => before && { ...before, to: rowOf(row) });
      },
      onClick: (event: MouseEvent) => {
        const button = closest(event, '.comment');
        if (!button) return;
        pick(rowOf(button), halfOf(button) ?? sideOf(lines[rowOf(button)]!), event.shiftKey);
        setAsked(true);
      },
    },
  };
}

const closest = ({ target }: Event, selector: string) => (target as Element).closest<HTMLElement>(selector);

const lineOf = (element: HTMLElement) => element.closest<HTMLElement>('.diff-line')!;
const rowOf = (element: HTMLElement): number => Number(lineOf(element).dataset.row);
const halfOf = (element: HTMLElement) => lineOf(element).dataset.side as Side | undefined;
