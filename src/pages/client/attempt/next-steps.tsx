import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { StartForm } from '../board/start-form.js';
import { Dialog } from '../parts/dialog.js';
import { Refusal } from '../parts/notice.js';
import type { AttemptStatus } from '../types.js';
import { sendFollowUp, useHasAgent } from './follow-up.js';

const LOST = 'runner lost';
const GO_ON = 'You were interrupted. Look at what is there already, and continue where you left off.';

interface StepsProps {
  status: AttemptStatus;
  project_id: string;
  done: () => void;
}

/** What can be done with an attempt that has ended. */
export function NextSteps({ status, project_id, done }: StepsProps) {
  const { attempt_id, task_id, state, failure_summary } = status;
  const [isNew, setNew] = useState(false);
  const retry = useAction(async (key) => {
    const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
    await must(api.POST('/api/attempts/{attempt_id}/retry', { params })).then(done);
  }, 'Sent again');
  if (state !== 'failed' && state !== 'completed') return null;
  return (
    <div class="bar">
      {state === 'failed' && failure_summary?.startsWith(LOST) && <Continue status={status} done={done} />}
      {state === 'failed' && (
        <button type="button" disabled={retry.isRunning} onClick={() => retry.run()}>
          Retry
        </button>
      )}
      {project_id && (
        <button type="button" onClick={() => setNew(true)}>
          New attempt
        </button>
      )}
      <Refusal error={retry.error} />
      {isNew && (
        <Dialog title="New attempt" close={() => setNew(false)}>
          <p class="quiet">It begins from the target branch again, on a branch of its own.</p>
          <StartForm task_id={task_id} project_id={project_id} />
        </Dialog>
      )}
    </div>
  );
}

function Continue({ status, done }: Pick<StepsProps, 'status' | 'done'>) {
  const hasAgent = useHasAgent(status);
  const go = useAction(
    (key) => sendFollowUp({ attempt_id: status.attempt_id, key, action: 'send', prompt: GO_ON }).then(done),
    'Continued',
  );
  if (!hasAgent) return null;
  return (
    <>
      <button type="button" class="primary" disabled={go.isRunning} onClick={() => go.run()}>
        Continue
      </button>
      <Refusal error={go.error} />
    </>
  );
}
