import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import { toast } from '../parts/toast.js';
import type { Task } from '../types.js';

const put = (task_id: string, archived: boolean) =>
  must(api.POST('/api/tasks/{task_id}/archive', { params: { path: { task_id } }, body: { archived } }));

/** Takes a task off the board, or back to it. */
export function ArchiveTask({ task, reload }: { task: Task; reload: () => void }) {
  const { task_id, title } = task;
  const isArchived = task.archived_at !== null;
  const move = useAction(async () => {
    await put(task_id, !isArchived);
    reload();
    if (isArchived) return toast('Back on the board');
    toast(`“${title}” is archived: the board's filter and the search still find it.`, () =>
      put(task_id, false).then(reload),
    );
  });
  return (
    <>
      <button type="button" disabled={move.isRunning} onClick={() => move.run()}>
        {isArchived ? 'Unarchive' : 'Archive'}
      </button>
      <Refusal error={move.error} />
    </>
  );
}
