import { useEffect, useRef, useState } from 'preact/hooks';
import type { Board, Card, TaskStatus } from '../types.js';
import { BoardCard } from './card.js';
import { countOf, inShownOrder, nameOf } from './columns.js';

interface ColumnProps {
  column: Board['columns'][number];
  project_id: string;
  move: (card: Card, status: TaskStatus) => void;
  /** Shown where only one column has room. */
  isChosen: boolean;
  /** Filtered: what is empty stays open, for it may fill with the next letter. */
  staysOpen: boolean;
}

/** An empty column is folded until it holds something, or is opened by hand. */
export function Column({ column, project_id, move, isChosen, staysOpen }: ColumnProps) {
  const { status, count, cards } = column;
  const [byHand, setByHand] = useState<boolean | null>(null);
  useEffect(() => setByHand(null), [count > 0]);
  const isOpen = byHand ?? (count > 0 || staysOpen);
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
      class={`column ${status} ${isOpen ? '' : 'folded'} ${isOver ? 'over' : ''} ${isChosen ? 'chosen' : ''}`}
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
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setByHand(!isOpen)}>
          <span class="dot" /> {nameOf(status)} <span class="count">{countOf(column)}</span>
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
        <p class="quiet">The newest {cards.length} are shown: older ones are found by the search and the filters.</p>
      )}
      {isOpen && count === 0 && <p class="quiet">Nothing here. Drop a card, or move one by its menu.</p>}
    </section>
  );
}

interface TabsProps {
  columns: Board['columns'];
  chosen: TaskStatus;
  choose: (status: TaskStatus) => void;
}

/** On a narrow screen: which column is shown. */
export const ColumnTabs = ({ columns, chosen, choose }: TabsProps) => (
  <div class="column-tabs" role="group" aria-label="Columns">
    {columns.map(({ status, count }) => (
      <button key={status} type="button" aria-pressed={status === chosen} onClick={() => choose(status)}>
        {nameOf(status)} <span class="count">{count}</span>
      </button>
    ))}
  </div>
);
