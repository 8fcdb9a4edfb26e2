import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import type { AttemptStatus } from '../types.js';

/** Stop asks the agent to end; once asked, what does not end can be forced. */
export function StopButtons({ status, stopped }: { status: AttemptStatus; stopped: () => void }) {
  const { attempt_id, state, is_stopping } = status;
  const ask = async (force: boolean) => {
    await must(api.POST('/api/attempts/{attempt_id}/stop', { params: { path: { attempt_id } }, body: { force } }));
    stopped();
  };
  const stop = useAction(() => ask(false), 'Stop asked for');
  // an action of its own: the server answers the first request only once the run has ended, or has not for long
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
