import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import { toast } from '../parts/toast.js';
import { go, to } from '../routes.js';
import type { Task } from '../types.js';

export const restore = (task_id: string) =>
  must(api.POST('/api/tasks/{task_id}/restore', { params: { path: { task_id } } }));

/** Deletes a task, which can be taken back at once here, and for a day at its address and on the board. */
export function DeleteTask({ task, project_id }: { task: Task; project_id: string }) {
  const { task_id, title } = task;
  const remove = useAction(async () => {
    await must(api.DELETE('/api/tasks/{task_id}', { params: { path: { task_id } } }));
    go(to.board(project_id));
    toast(`“${title}” is deleted; it can be restored for 24 hours.`, async () => {
      await restore(task_id);
      go(to.task(project_id, task_id));
    });
  });
  return (
    <>
      <button type="button" class="danger" disabled={remove.isRunning} onClick={() => remove.run()}>
        Delete
      </button>
      <Refusal error={remove.error} />
    </>
  );
}

/** In place of a task that is not there: perhaps it was only deleted. */
export function RestoreTask({ task_id, restored }: { task_id: string; restored: () => void }) {
  const bring = useAction(() => restore(task_id).then(restored), 'Task restored');
  return (
    <>
      <p>A deleted task can be restored for 24 hours.</p>
      <button type="button" disabled={bring.isRunning} onClick={() => bring.run()}>
        Restore
      </button>
      <Refusal error={bring.error} />
    </>
  );
}
