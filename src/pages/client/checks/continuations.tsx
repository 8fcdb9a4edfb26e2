import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import type { Continuation } from '../types.js';

const CAUSES: Record<Continuation['cause'], string> = {
  repair: 'Failed checks go back to the agent',
  review: 'What the review requests goes back to the agent',
  transient: 'Another try, after a failure that passes by itself',
  quota: 'Another try, once the quota is reset',
  infra: 'Another try, after a lost runner',
};

/** What the server sends the agent by itself, and when. */
export function Continuations({ attempt_id }: { attempt_id: string }) {
  const params = { path: { attempt_id } };
  const { data, error, reload } = useResource(
    `continuations:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/continuations', { params })),
    concernsAttempt(attempt_id),
  );
  const stop = useAction(async (_key: string, continuation_id: string) => {
    const path = { attempt_id, continuation_id };
    await must(api.DELETE('/api/attempts/{attempt_id}/continuations/{continuation_id}', { params: { path } }));
    reload();
  }, 'It is not sent');
  if (!data?.continuations.length) return <Refusal error={error} />;
  return (
    <>
      <ul class="plain-list" aria-label="Sent by itself">
        {data.continuations.map((continuation) => (
          <li class="card row" key={continuation.continuation_id}>
            <Standing continuation={continuation} />
            {isWaiting(continuation) && (
              <button
                type="button"
                class="danger"
                aria-label={`Stop: ${CAUSES[continuation.cause]}`}
                disabled={stop.isRunning}
                onClick={() => stop.run(continuation.continuation_id)}
              >
                Stop
              </button>
            )}
          </li>
        ))}
      </ul>
      <Refusal error={stop.error} />
    </>
  );
}

const isWaiting = ({ state }: Continuation): boolean => state === 'due' || state === 'queued';

const Standing = ({ continuation }: { continuation: Continuation }) => (
  <>
    <span>
      {CAUSES[continuation.cause]}, round {continuation.round}
    </span>
    <span class={isWaiting(continuation) ? 'badge running' : 'badge'}>{continuation.state}</span>
    {isWaiting(continuation) && (
      <span>
        due <Time at={continuation.due_at} />
      </span>
    )}
    {continuation.reason && <span class="quiet">{continuation.reason}</span>}
  </>
);
