import { useId, useRef } from 'preact/hooks';
import { Time } from '../parts/time.js';
import { to } from '../routes.js';
import type { Card, TaskStatus } from '../types.js';
import { StateBadge } from '../parts/badge.js';
import { COLUMNS } from './columns.js';

interface CardProps {
  card: Card;
  status: TaskStatus;
  project_id: string;
  move: (card: Card, status: TaskStatus) => void;
}

export function BoardCard({ card, status, project_id, move }: CardProps) {
  const drag = (event: DragEvent) => event.dataTransfer?.setData('application/x-card', JSON.stringify(card));
  return (
    <article class="card" draggable onDragStart={drag}>
      <p class="title">
        <a href={to.task(project_id, card.task_id)}>{card.title}</a>
        <MoveMenu {...{ card, status, move }} />
      </p>
      <p class="facts">
        {card.latest_attempt_id && card.state && (
          <a href={to.attempt(project_id, card.latest_attempt_id)} aria-label={`Attempt: ${card.state}`}>
            <StateBadge state={card.state} />
          </a>
        )}
        {card.is_queued && <span class="badge">queued {card.queue_position}</span>}
        {card.pending_approvals > 0 && <span class="badge asks">asks</span>}
        {card.executor && <span class="quiet">{card.executor}</span>}
        {(card.lines_added ?? 0) + (card.lines_deleted ?? 0) > 0 && (
          <span>
            <span class="added">+{card.lines_added}</span> <span class="deleted">−{card.lines_deleted}</span>
          </span>
        )}
      </p>
      <p class="facts quiet">
        {card.priority && <span>{card.priority}</span>}
        {card.assignee && <span>{card.assignee}</span>}
        {card.tags.map((tag) => (
          <span class="tag" key={tag}>
            {tag}
          </span>
        ))}
        <Time at={card.updated_at} />
      </p>
    </article>
  );
}

interface MenuProps<T> {
  card: T;
  status: TaskStatus;
  move: (card: T, status: TaskStatus) => void;
}

/** The way to another column without dragging. */
function MoveMenu<T extends { title: string }>({ card, status: now, move }: MenuProps<T>) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const choose = (status: TaskStatus) => {
    menu.current?.hidePopover();
    move(card, status);
  };
  return (
    <>
      <button type="button" class="plain move" data-key="m" popovertarget={id} aria-label={`Move ${card.title}`}>
        ⋯
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        onToggle={focusFirst}
        class="menu"
        role="group"
        aria-label={`Move ${card.title} to`}
      >
        {COLUMNS.filter(([status]) => status !== now).map(([status, name]) => (
          <button key={status} type="button" class="plain" onClick={() => choose(status)}>
            {name}
          </button>
        ))}
      </div>
    </>
  );
}

const focusFirst = ({ newState, currentTarget }: { newState: string; currentTarget: HTMLElement }) =>
  newState === 'open' && currentTarget.querySelector('button')?.focus();
