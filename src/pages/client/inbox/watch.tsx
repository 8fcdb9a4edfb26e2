import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { askForNotifications, setWatching } from './notices.js';

/** Asks to be told, by the inbox and by the browser, when a run of the task ends or asks. */
export function WatchTask({ task_id }: { task_id: string }) {
  const params = { path: { task_id } };
  const watch = useResource(`watch:${task_id}`, () => must(api.GET('/api/tasks/{task_id}/watch', { params })));
  const isWatching = watch.data?.is_watching ?? false;
  const turn = useAction(
    async () => {
      if (!isWatching) askForNotifications();
      await setWatching(task_id, !isWatching);
      watch.reload();
    },
    isWatching ? 'You are not told any more' : 'You will be told',
  );
  return (
    <>
      <button type="button" disabled={!watch.data || turn.isRunning} onClick={() => turn.run()}>
        {isWatching ? 'Stop telling me' : 'Tell me when it is done'}
      </button>
      <Refusal error={turn.error} />
    </>
  );
}
