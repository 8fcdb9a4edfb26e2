import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import type { AttemptStatus } from '../types.js';

/** Stop asks the agent to end; after that it can be forced. */
export function StopButtons({ status, stopped }: { status: AttemptStatus; stopped: () => void }) {
  const { attempt_id, state, is_stopping } = status;
  const ask = async (force: boolean) => {
    await must(api.POST('/api/attempts/{attempt_id}/stop', { params: { path: { attempt_id } }, body: { force } }));
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
