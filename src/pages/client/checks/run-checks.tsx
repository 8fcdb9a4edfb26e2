import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';

/** Has the server check what there is now. */
export function RunChecks({ attempt_id, done }: { attempt_id: string; done?: () => void }) {
  const run = useAction(async () => {
    const params = { path: { attempt_id } };
    await must(api.POST('/api/attempts/{attempt_id}/checks', { params }));
    done?.();
  }, 'Checks asked for');
  return (
    <>
      <button type="button" disabled={run.isRunning} onClick={() => run.run()}>
        Run checks
      </button>
      <Refusal error={run.error} />
    </>
  );
}
