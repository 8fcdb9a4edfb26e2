import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Choice } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Task } from '../types.js';

/** Of a name that another program has written, and that is nobody here. */
const FREE_TEXT = 'free text';

interface AssigneeProps {
  task: Task;
  project_id: string;
  assigned: () => void;
}

/** Whose task it is: somebody of the project, or of the server where the project is open to all. */
export function Assignee({ task, project_id, assigned }: AssigneeProps) {
  const { task_id, assignee_id, assignee } = task;
  const { data } = useResource(`assignable:${project_id}`, () => readAssignable(project_id));
  const assign = useAction(async (_key: string, worker: string) => {
    const body = { assignee_id: (worker || null) as string }; // null: nobody
    await must(api.PATCH('/api/tasks/{task_id}/assign', { params: { path: { task_id } }, body }));
    assigned();
  }, 'Assigned');
  const people = data ?? [];
  const isListed = people.some(([id]) => id === assignee_id);
  const present = assignee === null || isListed ? [] : [[assignee_id ?? FREE_TEXT, assignee] as const];
  return (
    <>
      <Choice
        label="Assignee"
        value={assignee_id ?? (assignee === null ? '' : FREE_TEXT)}
        options={[['', 'Nobody'], ...present, ...people]}
        disabled={assign.isRunning}
        set={(worker) => assign.run(worker)}
      />
      <Refusal error={assign.error} />
    </>
  );
}

async function readAssignable(project_id: string): Promise<(readonly [worker_id: string, words: string])[]> {
  const query = { limit: 200 };
  const params = { path: { project_id }, query };
  const { members } = await must(api.GET('/api/projects/{project_id}/members', { params }));
  const people = members.length > 0 ? members : (await must(api.GET('/api/workers', { params: { query } }))).workers;
  return people.flatMap(({ worker_id, handle, name }) =>
    worker_id === null ? [] : [[worker_id, `${name} (${handle})`] as const],
  );
}
