import { useId, useRef } from 'preact/hooks';
import { Avatar } from '../parts/avatar.js';
import { ChecksBadge, DeliveryBadge, shownState, StateBadge } from '../parts/badge.js';
import { Icon } from '../parts/icon.js';
import { InlineText } from '../parts/inline-text.js';
import { LiveFacts } from '../parts/live.js';
import { Time } from '../parts/time.js';
import { to } from '../routes.js';
import type { Card, TaskStatus } from '../types.js';
import { COLUMNS } from './columns.js';

interface CardProps {
  card: Card;
  status: TaskStatus;
  project_id: string;
  move: (card: Card, status: TaskStatus) => void;
}

export function BoardCard({ card, status, project_id, move }: CardProps) {
  const { task_id, title, latest_attempt_id, state, is_queued } = card;
  const drag = (event: DragEvent) => event.dataTransfer?.setData('application/x-card', JSON.stringify(card));
  return (
    <article class="card" data-card={task_id} draggable onDragStart={drag}>
      <p class="title">
        <a href={to.task(project_id, task_id)} title={title.length > 80 ? title : undefined}>
          <InlineText text={title} />
        </a>
        <MoveMenu {...{ card, status, move }} />
      </p>
      <Standing card={card} project_id={project_id} />
      {latest_attempt_id && state === 'running' && !is_queued && <LiveFacts attempt_id={latest_attempt_id} />}
      <p class="facts beside quiet">
        <span class="labels">
          {card.executor && <span>{card.executor}</span>}
          {card.priority && <span>{card.priority}</span>}
          {card.tags.map((tag) => (
            <span class="tag" key={tag}>
              {tag}
            </span>
          ))}
        </span>
        <Time at={card.updated_at} />
        {card.assignee && (
          <span class="fact">
            <Avatar name={card.assignee} />
            <span class="visually-hidden">{card.assignee}</span>
          </span>
        )}
      </p>
    </article>
  );
}

/** How its latest attempt stands, and what it has made. */
function Standing({ card, project_id }: Pick<CardProps, 'card' | 'project_id'>) {
  const { latest_attempt_id, state } = card;
  const shown = state && shownState(state, card.ended_by);
  const lines = (card.lines_added ?? 0) + (card.lines_deleted ?? 0);
  return (
    <p class="facts beside">
      <span class="labels">
        {latest_attempt_id && shown && (
          <a href={to.attempt(project_id, latest_attempt_id)} aria-label={`Attempt: ${shown}`}>
            <StateBadge state={shown} />
          </a>
        )}
        {card.is_queued && <span class="badge">queued {card.queue_position}</span>}
        {card.pending_approvals > 0 && (
          <span class="badge asks">
            <Icon name="ask" /> asks
          </span>
        )}
        <Hindrance card={card} />
      </span>
      {lines > 0 && state !== 'running' && (
        <span class="change">
          <span class="added">+{card.lines_added}</span> <span class="deleted">−{card.lines_deleted}</span>
        </span>
      )}
    </p>
  );
}

/** What stands in its way, or that nothing does any more. */
const Hindrance = ({ card: { is_blocked, delivery_state, checks_state } }: { card: Card }) => (
  <>
    {is_blocked && <span class="badge asks">blocked</span>}
    <DeliveryBadge state={delivery_state} />
    <ChecksBadge state={checks_state} />
  </>
);

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
        <Icon name="menu" />
      </button>
      <div id={id} ref={menu} popover="auto" class="menu" role="group" aria-label={`Move ${card.title} to`}>
        {COLUMNS.filter(([status]) => status !== now).map(([status, name], index) => (
          <button key={status} type="button" class="plain" autofocus={index === 0} onClick={() => choose(status)}>
            {name}
          </button>
        ))}
      </div>
    </>
  );
}
