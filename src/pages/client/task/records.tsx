import { api, must } from '../api.js';
import { Avatar } from '../parts/avatar.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';

/** What was planned, decided and learned. */
export function Thoughts({ task_id }: { task_id: string }) {
  const { data } = useResource(`thoughts:${task_id}`, () =>
    must(api.GET('/api/tasks/{task_id}/thought-records', { params: { path: { task_id } } })),
  );
  if (!data?.records.length) return null;
  return (
    <section>
      <h2>Thoughts</h2>
      <ul class="plain-list">
        {data.records.map(({ id, type, agent_id, content, timestamp }) => (
          <li class="card" key={id}>
            <p class="quiet">
              {type} · {agent_id} · <Time at={timestamp} />
            </p>
            <p class="prompt">{content}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Who changed what. */
export function History({ task_id }: { task_id: string }) {
  const { data } = useResource(
    `audit:${task_id}`,
    () => must(api.GET('/api/tasks/{task_id}/audit', { params: { path: { task_id } } })),
    ({ subject }) => subject === task_id,
  );
  if (!data?.entries.length) return null;
  return (
    <details class="history">
      <summary>History</summary>
      <ul class="plain-list">
        {data.entries.map(({ number, action, actor, created_at }) => (
          <li key={number}>
            <Avatar name={actor} /> {actor} {action.replaceAll('_', ' ')}{' '}
            <span class="quiet">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
