import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { toast } from '../parts/toast.js';
import { putBack } from '../parts/draft.js';
import { Refusal } from '../parts/notice.js';
import type { AttemptStatus } from '../types.js';
import { followUpForm } from './follow-up.js';

/** Stop asks the agent to end; after that it can be forced. */
export function StopButtons({ status, stopped }: { status: AttemptStatus; stopped: () => void }) {
  const { attempt_id, state, is_stopping } = status;
  const ask = async (force: boolean) => {
    const waiting = await waitingIn(status);
    const params = { path: { attempt_id } };
    const answer = await must(api.POST('/api/attempts/{attempt_id}/stop', { params, body: { force } }));
    if (answer.dropped_messages > 0 && waiting) giveBack(attempt_id, waiting);
    stopped();
  };
  const stop = useAction(() => ask(false), 'Stop asked for');
  // a separate action, because the first request is only answered when the run has ended or after a long wait
  const force = useAction(() => ask(true), 'Force asked for');
  if (state !== 'running') return null;
  const isAsked = is_stopping || stop.isRunning;
  return (
    <div class="stop">
      <button type="button" class="danger" disabled={force.isRunning} onClick={() => (isAsked ? force : stop).run()}>
        {isAsked ? 'Force stop' : 'Stop'}
      </button>
      <Refusal error={force.error ?? stop.error} />
    </div>
  );
}

/** What a stop drops. */
async function waitingIn({ latest_session_id: session_id, has_queued_message }: AttemptStatus): Promise<string> {
  if (!has_queued_message || session_id === null) return '';
  const { messages } = await must(api.GET('/api/sessions/{session_id}/queue', { params: { path: { session_id } } }));
  return messages.map(({ prompt }) => prompt).join('\n\n');
}

function giveBack(attempt_id: string, waiting: string): void {
  putBack(followUpForm(attempt_id), waiting);
  toast('What was queued is back in the box');
}
