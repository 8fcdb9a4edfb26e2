import { nameOf } from '../board/columns.js';
import { api, must } from '../api.js';
import { InlineText } from '../parts/inline-text.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';

const NEWEST = 100;

/** The tasks directly below one. */
export function Subtasks({ task_id, project_id }: { task_id: string; project_id: string }) {
  const params = { path: { task_id }, query: { limit: NEWEST } };
  const { data } = useResource(
    `subtasks:${task_id}`,
    () => must(api.GET('/api/tasks/{task_id}/subtasks', { params })),
    ({ type }) => type.startsWith('taskyard.task.'),
  );
  if (!data?.tasks.length) return null;
  return (
    <section>
      <h2>Subtasks</h2>
      <ul class="plain-list">
        {data.tasks.map(({ task_id: id, title, status }) => (
          <li class="card row" key={id}>
            <a href={to.task(project_id, id)}>
              <InlineText text={title} />
            </a>
            <span class="badge idle">{nameOf(status)}</span>
          </li>
        ))}
      </ul>
      {data.has_more && <p class="quiet">The newest {data.count} are shown.</p>}
    </section>
  );
}
