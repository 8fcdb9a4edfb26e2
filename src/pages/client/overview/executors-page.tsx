import { api, must } from '../api.js';
import type { components } from '../generated/api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { useResource } from '../resource.js';

export function ExecutorsPage() {
  useTitle('Executors');
  const { data, error } = useResource('executors', () => must(api.GET('/api/executors')));
  return (
    <>
      <h1>Executors</h1>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      <div class="cards">
        {data?.executors.map(({ executor, is_available, reason, version, variants, note }) => (
          <article class="card" key={executor}>
            <h2>{executor}</h2>
            <p>
              <span class={`badge ${is_available ? 'completed' : 'idle'}`}>
                {is_available ? 'Available' : 'Not available'}
              </span>{' '}
              {version && <span class="quiet">{version}</span>}
            </p>
            {reason && (
              <p>
                <strong>What is missing:</strong> {reason}
              </p>
            )}
            {note && <p class="quiet">{note}</p>}
            {variants.length > 0 && <p class="quiet">Variants: {variants.join(', ')}</p>}
          </article>
        ))}
      </div>
      {data && <Walls {...data} />}
    </>
  );
}

type WallsProps = components['schemas']['ServerExecutorsOutput'];

/** What keeps runs from each other, from the server and from the network, and why where it is less than it could be. */
function Walls({ isolation, isolation_reason, network, network_reason, limits }: WallsProps) {
  const walls = [
    ['Isolation', isolation, isolation_reason],
    ['Network, at most', network, network_reason],
    ['Limit of memory', limits.memory, limits.reason],
    ['Limit of processes', limits.processes, null],
    ['Limit of disk', limits.disk, null],
  ];
  return (
    <section>
      <h2>What is around each run</h2>
      <dl class="pairs">
        {walls.map(([name, value, reason]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value} {reason && <span class="quiet">{reason}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
