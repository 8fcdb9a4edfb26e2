import { useAction } from '../action.js';
import { nameOf } from '../board/columns.js';
import { api, must } from '../api.js';
import { useDraft } from '../parts/draft.js';
import { Line, onSubmit } from '../parts/fields.js';
import { InlineText } from '../parts/inline-text.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';

const NEWEST = 100;

interface SubtasksProps {
  task_id: string;
  project_id: string;
  mayAdd: boolean;
}

/** The tasks directly below one. */
export function Subtasks({ task_id, project_id, mayAdd }: SubtasksProps) {
  const params = { path: { task_id }, query: { limit: NEWEST } };
  const { data, reload } = useResource(
    `subtasks:${task_id}`,
    () => must(api.GET('/api/tasks/{task_id}/subtasks', { params })),
    ({ type }) => type.startsWith('taskyard.task.'),
  );
  if (!data || (!mayAdd && data.tasks.length === 0)) return null;
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
      {mayAdd && <AddSubtask task_id={task_id} added={reload} />}
      {data.has_more && <p class="quiet">The newest {data.count} are shown.</p>}
    </section>
  );
}

function AddSubtask({ task_id, added }: { task_id: string; added: () => void }) {
  const form = `subtask:${task_id}`;
  const [title, setTitle] = useDraft(form);
  const add = useAction(
    async (key) => {
      const params = { path: { task_id }, header: { 'Idempotency-Key': key } };
      await must(api.POST('/api/tasks/{task_id}/subtasks', { params, body: { title: title.trim() } }));
      setTitle('');
      added();
    },
    'Subtask added',
    { form, content: title.trim() },
  );
  return (
    <form class="bar start" aria-label="Add a subtask" onSubmit={onSubmit(() => title.trim() && add.run())}>
      <Line label="New subtask" value={title} maxLength={500} set={setTitle} />
      <button disabled={add.isRunning}>Add subtask</button>
      <Refusal error={add.error} />
    </form>
  );
}
