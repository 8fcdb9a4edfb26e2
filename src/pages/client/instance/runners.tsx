import { useEffect } from 'preact/hooks';
import { api, must } from '../api.js';
import type { components } from '../generated/api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';

type Runner = components['schemas']['RunnerOutput'];

const LOOK_MS = 5_000;
const STATES: Record<Runner['state'], [words: string, look: string]> = {
  ready: ['Ready', 'ready'],
  draining: ['Draining: it ends what runs, and takes nothing new', 'asks'],
  lost: ['Lost: it went silent', 'failed'],
  left: ['Left in order', 'idle'],
};
const ROLES: Record<Runner['role'], string> = {
  all: 'serves and runs',
  api: 'serves',
  runner: 'runs',
};

/** The processes of this server, and what each of them can run; read again while somebody looks. */
export function Runners() {
  const { data, error, reload } = useResource('runners', () => must(api.GET('/api/runners')));
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && reload();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <>
      <p class="quiet">A runner that is stopped drains first: what runs on it ends by itself.</p>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      <ul class="plain-list" aria-label="Runners">
        {data?.runners.map((runner) => (
          <Row key={runner.incarnation} runner={runner} />
        ))}
      </ul>
    </>
  );
}

function Row({ runner }: { runner: Runner }) {
  const { runner_id, state, role, busy, slots, labels, executors, isolation, address, version, seen_at } = runner;
  const [words, look] = STATES[state];
  const missing = executors.filter(({ is_available }) => !is_available);
  return (
    <li class="card">
      <div class="row">
        <h3>{address}</h3>
        <span class={`badge ${look}`}>{words}</span>
        <span>
          {ROLES[role]}
          {slots > 0 && `, ${busy} of ${slots} turns`}
        </span>
        <span class="quiet">
          seen <Time at={seen_at} />
        </span>
      </div>
      <p class="quiet path">
        {runner_id} · version {version} · walls: {isolation}
        {labels.length > 0 && ` · labels: ${labels.join(', ')}`}
      </p>
      {slots > 0 && <p>Starts {namesOf(executors.filter(({ is_available }) => is_available))}.</p>}
      {slots > 0 && missing.length > 0 && (
        <details>
          <summary>What is missing for {namesOf(missing)}</summary>
          <ul>
            {missing.map(({ executor, reason }) => (
              <li key={executor}>
                {executor}: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

const namesOf = (executors: Runner['executors']): string =>
  executors.map(({ executor }) => executor).join(', ') || 'nothing';
