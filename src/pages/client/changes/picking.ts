import { useRef, useState } from 'preact/hooks';
import { type Picked, type Range, rangeOf, sideOf } from './ranges.js';
import type { DiffLine } from './unified-diff.js';

/** Rows are picked by their numbers (a click, Shift with another click, or a drag) or by their button (Shift extends
 *  to it, too). One listener for all of thousands of rows. */
export function usePicking(lines: readonly DiffLine[]) {
  const [picked, setPicked] = useState<Picked | null>(null);
  const [isAsked, setAsked] = useState(false);
  const isDragged = useRef(false);
  const range: Range | null = picked && rangeOf(lines, picked);

  const pick = (row: number, side: Picked['side'], isExtended: boolean) =>
    setPicked((before) => (isExtended && before ? { ...before, to: row } : { side, from: row, to: row }));
  const drop = () => {
    isDragged.current = false;
    setAsked(true);
  };
  return {
    range,
    /** The form is wanted. */
    isAsked: isAsked && range !== null,
    close: () => {
      setPicked(null);
      setAsked(false);
    },
    listeners: {
      onPointerDown: (event: PointerEvent) => {
        const number = closest(event, '.number');
        if (!number || event.button !== 0 || event.pointerType === 'touch') return;
        event.preventDefault(); // selects no text
        isDragged.current = true;
        document.addEventListener('pointerup', drop, { once: true });
        setAsked(false);
        pick(rowOf(number), number.previousElementSibling ? 'new' : 'old', event.shiftKey);
      },
      onPointerOver: (event: PointerEvent) => {
        const row = isDragged.current ? closest(event, '.diff-line') : null;
        if (row) setPicked((before) => before && { ...before, to: rowOf(row) });
      },
      onClick: (event: MouseEvent) => {
        const button = closest(event, '.comment');
        if (!button) return;
        pick(rowOf(button), sideOf(lines[rowOf(button)]!), event.shiftKey);
        setAsked(true);
      },
    },
  };
}

const closest = ({ target }: Event, selector: string) => (target as Element).closest<HTMLElement>(selector);

const rowOf = (element: HTMLElement): number => Number(element.closest<HTMLElement>('.diff-line')!.dataset.row);
