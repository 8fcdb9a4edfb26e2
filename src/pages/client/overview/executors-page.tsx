import { api, must } from '../api.js';
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
        {data?.executors.map(({ executor, is_available, reason, version, variants }) => (
          <article class="card" key={executor}>
            <h2>{executor}</h2>
            <p>
              <span class={`badge ${is_available ? 'completed' : 'idle'}`}>
                {is_available ? 'Available' : 'Not available'}
              </span>{' '}
              {version && <span class="quiet">{version}</span>}
            </p>
            {reason && <p class="quiet">{reason}</p>}
            {variants.length > 0 && <p class="quiet">Variants: {variants.join(', ')}</p>}
          </article>
        ))}
      </div>
    </>
  );
}
