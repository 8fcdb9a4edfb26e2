import { useRef, useState } from 'preact/hooks';
import type { Board, Card, TaskStatus } from '../types.js';
import { BoardCard } from './card.js';
import { inShownOrder, nameOf } from './columns.js';

interface ColumnProps {
  column: Board['columns'][number];
  project_id: string;
  move: (card: Card, status: TaskStatus) => void;
}

export function Column({ column: { status, count, cards }, project_id, move }: ColumnProps) {
  const [isOpen, setOpen] = useState(true);
  const [isOver, setOver] = useState(false);
  const isTouched = useRef(false);
  const shown = useRef<string[]>([]);
  const ordered = isTouched.current ? inShownOrder(cards, shown.current) : cards;
  shown.current = ordered.map(({ task_id }) => task_id);
  const touch = (is: boolean) => () => {
    isTouched.current = is;
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const card = JSON.parse(event.dataTransfer?.getData('application/x-card') || 'null') as Card | null;
    if (card && !shown.current.includes(card.task_id)) move(card, status);
  };
  return (
    <section
      class={`column ${isOpen ? '' : 'folded'} ${isOver ? 'over' : ''}`}
      aria-label={nameOf(status)}
      onPointerEnter={touch(true)}
      onPointerLeave={touch(false)}
      onFocusIn={touch(true)}
      onFocusOut={touch(false)}
      onDragOver={(event) => (event.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <h2>
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {nameOf(status)} <span class="count">{count}</span>
        </button>
      </h2>
      {isOpen && (
        <ul>
          {ordered.map((card) => (
            <li key={card.task_id}>
              <BoardCard {...{ card, status, project_id, move }} />
            </li>
          ))}
        </ul>
      )}
      {isOpen && count > cards.length && (
        <p class="quiet">{count - cards.length} older ones are found by the search.</p>
      )}
    </section>
  );
}
