import { ChecksBadge, DeliveryBadge, shownState, StateBadge } from '../parts/badge.js';
import { InlineText } from '../parts/inline-text.js';
import { TableHead } from '../parts/table-head.js';
import { Time } from '../parts/time.js';
import { to } from '../routes.js';
import type { Board, Card, TaskStatus } from '../types.js';
import { COLUMNS, countOf, nameOf } from './columns.js';
import type { ViewProps } from './filters.js';

const HEADS = ['Task', 'State', 'Attempt', 'Priority', 'Assignee', 'Tags', 'Changed'];

interface TableProps extends ViewProps {
  board: Board;
  status: string | undefined;
}

/** The tasks of the board below each other, those changed last first. */
export function TaskTable({ board: { project_id, columns }, status, change }: TableProps) {
  const shown = columns.filter((column) => !status || column.status === status);
  const cards = shown.flatMap((column) => column.cards);
  const isCut = shown.some(({ count, cards: own }) => count > own.length);
  return (
    <>
      <label class="bar start state">
        State
        <select value={status ?? ''} onChange={(event) => change({ status: event.currentTarget.value })}>
          <option value="">Any</option>
          {COLUMNS.map(([value, words]) => (
            <option key={value} value={value}>
              {words} ({countIn(columns, value)})
            </option>
          ))}
        </select>
      </label>
      <div class="wide">
        <table class="tasks">
          <TableHead heads={HEADS} />
          <tbody>
            {cards.sort(byChange).map((card) => (
              <Row key={card.task_id} card={card} project_id={project_id} />
            ))}
          </tbody>
        </table>
      </div>
      {cards.length === 0 && <p class="notice">No task matches.</p>}
      {isCut && <p class="quiet">The newest of each state are shown: older ones are found by the search.</p>}
    </>
  );
}

const byChange = (one: Card, other: Card): number => other.updated_at.localeCompare(one.updated_at);

const countIn = (columns: Board['columns'], status: TaskStatus): string =>
  countOf(columns.find((column) => column.status === status)!);

function Row({ card, project_id }: { card: Card; project_id: string }) {
  const { task_id, title, status, state, ended_by, latest_attempt_id, priority, assignee, tags, updated_at } = card;
  const shown = state && shownState(state, ended_by);
  return (
    <tr>
      <th scope="row">
        <a href={to.task(project_id, task_id)}>
          <InlineText text={title} />
        </a>
      </th>
      <td>{nameOf(status)}</td>
      <td>
        {latest_attempt_id && shown && (
          <a href={to.attempt(project_id, latest_attempt_id)} aria-label={`Attempt: ${shown}`}>
            <StateBadge state={shown} />
          </a>
        )}{' '}
        <DeliveryBadge state={card.delivery_state} /> <ChecksBadge state={card.checks_state} />
      </td>
      <td>{priority}</td>
      <td>{assignee}</td>
      <td>
        <span class="facts">
          {tags.map((tag) => (
            <span class="tag" key={tag}>
              {tag}
            </span>
          ))}
        </span>
      </td>
      <td>
        <Time at={updated_at} />
      </td>
    </tr>
  );
}
