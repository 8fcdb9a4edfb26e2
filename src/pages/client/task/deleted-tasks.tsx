import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { InlineText } from '../parts/inline-text.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import { restore } from './deletion.js';

/** What was deleted in a project within a day, and can be restored. */
export function DeletedTasks({ project_id }: { project_id: string }) {
  const { data, error, reload } = useResource(
    `deleted:${project_id}`,
    () => must(api.GET('/api/projects/{project_id}/deleted-tasks', { params: { path: { project_id } } })),
    (event) => event.project_id === project_id && event.type.startsWith('taskyard.task.'),
  );
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  return (
    <section class="column-of-text" aria-label="Deleted lately">
      {data.tasks.length === 0 && <p class="empty">Nothing was deleted in the last 24 hours.</p>}
      {data.tasks.length > 0 && <p class="quiet">What is deleted can be restored for 24 hours.</p>}
      <ul class="plain-list">
        {data.tasks.map(({ task_id, title, deleted_at }) => (
          <li class="card row" key={task_id}>
            <InlineText text={title} />
            <span class="quiet">
              deleted <Time at={deleted_at} />
            </span>
            <RestoreButton {...{ task_id, title }} restored={reload} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function RestoreButton({ task_id, title, restored }: { task_id: string; title: string; restored: () => void }) {
  const bring = useAction(() => restore(task_id).then(restored), 'Task restored');
  return (
    <>
      <button type="button" aria-label={`Restore ${title}`} disabled={bring.isRunning} onClick={() => bring.run()}>
        Restore
      </button>
      <Refusal error={bring.error} />
    </>
  );
}
