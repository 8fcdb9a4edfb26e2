import { nameOf } from '../board/columns.js';
import { api, must } from '../api.js';
import type { components } from '../generated/api.js';
import { DeliveryBadge, shownState, StateBadge } from '../parts/badge.js';
import { InlineText } from '../parts/inline-text.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';

type OwnTask = components['schemas']['OwnTaskOutput'];
const SHOWN = ['inreview', 'inprogress', 'todo'] as const;

/** The open tasks of whoever is signed in, in all projects. */
export function WorkPage() {
  useTitle('My work');
  const { data, error } = useResource(
    'work',
    () => must(api.GET('/api/work', { params: { query: { limit: 200 } } })),
    ({ type }) => /\.(attempt|task)\./.test(type),
  );
  return (
    <>
      <h1>My work</h1>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      {data?.tasks.length === 0 && (
        <p class="notice">Nothing is open. A task is yours once its assignee is you: set that on its page.</p>
      )}
      {SHOWN.map((status) => {
        const tasks = data?.tasks.filter((task) => task.status === status) ?? [];
        if (tasks.length === 0) return null;
        return (
          <section key={status}>
            <h2>{nameOf(status)}</h2>
            <ul class="plain-list">
              {tasks.map((task) => (
                <li key={task.task_id} class="card">
                  <div class="row">
                    <a href={to.task(task.project_id, task.task_id)}>
                      <InlineText text={task.title} />
                    </a>
                    <span class="quiet">
                      {task.project_name}
                      {task.priority && ` · ${task.priority}`} · changed <Time at={task.updated_at} />
                    </span>
                  </div>
                  <LatestAttempt task={task} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {data?.has_more && <p class="quiet">The newest {data.count} are shown.</p>}
    </>
  );
}

function LatestAttempt({ task }: { task: OwnTask }) {
  const { project_id, latest_attempt_id, state, ended_by, delivery_state } = task;
  if (!latest_attempt_id || !state) return null;
  const shown = shownState(state, ended_by);
  return (
    <p class="facts">
      <a href={to.attempt(project_id, latest_attempt_id)} aria-label={`Attempt: ${shown}`}>
        <StateBadge state={shown} />
      </a>
      <DeliveryBadge state={delivery_state} />
    </p>
  );
}
