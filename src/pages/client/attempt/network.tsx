import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import type { BoardEvent } from '../feed.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';

const isDenial = ({ type }: BoardEvent) => type === 'taskyard.network.denied';

interface NetworkProps {
  attempt_id: string;
  project_id: string | null;
}

/** What the runs of an attempt reach and what they were refused, read when opened. */
export function AttemptNetwork(props: NetworkProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Network</summary>
      {isOpen && <Shown {...props} />}
    </details>
  );
}

function Shown({ attempt_id, project_id }: NetworkProps) {
  const params = { path: { attempt_id } };
  const { data, error, reload } = useResource(
    `network:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/network', { params })),
    isDenial,
  );
  const allow = useAction(async (_key: string, host: string) => {
    const path = { params: { path: { project_id: project_id! } } };
    const { allowed_hosts } = await must(api.GET('/api/projects/{project_id}', path));
    const body = { allowed_hosts: [...allowed_hosts, host] };
    await must(api.PUT('/api/projects/{project_id}', { ...path, body }));
    reload();
  }, 'Host allowed');
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  const { network, reason, allowed, denials } = data;
  return (
    <>
      <p>
        <span class="badge">{network}</span> <span class="quiet">{reason}</span>
      </p>
      {network === 'listed' && <p class="quiet">Reaches {allowed.join(', ') || 'no host'}.</p>}
      {denials.length > 0 && <h3>{network === 'open' ? 'A list would have refused' : 'Refused'}</h3>}
      <ul class="plain-list">
        {denials.map(({ host, port, count, last_at }) => {
          const rule = ruleFor(host, port);
          return (
            <li key={rule}>
              <code>{rule}</code>{' '}
              <span class="quiet">
                {count} ×, last <Time at={last_at} />
              </span>{' '}
              {project_id && !allowed.includes(rule) && (
                <button aria-label={`Allow ${rule}`} disabled={allow.isRunning} onClick={() => allow.run(rule)}>
                  Allow
                </button>
              )}
            </li>
          );
        })}
      </ul>
      <Refusal error={allow.error} />
    </>
  );
}

/** 80 and 443 need not be named. */
function ruleFor(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === 80 || port === 443 ? name : `${name}:${port}`;
}
