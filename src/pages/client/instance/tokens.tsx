import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import type { Me } from '../frame/session.js';
import { Confirm } from '../parts/confirm.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More, usePages } from '../parts/pages.js';
import { Time } from '../parts/time.js';
import { useProjects } from '../projects.js';
import type { ServiceToken } from '../types.js';
import { NewToken } from './new-token.js';
import { type Issued, ShownOnce } from './shown-once.js';

/** Credentials of programs. A new one is shown once, to be copied. */
export function Tokens({ me }: { me: Me }) {
  const { rows, error, reload, more } = usePages('tokens', async (cursor?: number) => {
    const page = await must(api.GET('/api/tokens', { params: { query: { cursor } } }));
    return { ...page, rows: page.tokens };
  });
  const [issued, setIssued] = useState<Issued | null>(null);
  const show = (token: Issued) => {
    setIssued(token);
    reload();
  };
  const rotate = useAction(async (_key: string, token_id: string) => {
    show(await must(api.POST('/api/tokens/{token_id}/rotate', { params: { path: { token_id } }, body: {} })));
  });
  const revoke = useAction(async (_key: string, token_id: string) => {
    await must(api.DELETE('/api/tokens/{token_id}', { params: { path: { token_id } } }));
    reload();
  }, 'Token revoked');
  return (
    <>
      <p class="quiet">
        For programs; people sign in by themselves. Nobody can give a token more rights than their own.
      </p>
      {issued && <ShownOnce issued={issued} close={() => setIssued(null)} />}
      <Refusal error={error ?? rotate.error ?? revoke.error} />
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <p class="empty">There is no token.</p>}
      <ul class="plain-list" aria-label="Tokens">
        {rows?.map((token) => (
          <li class="card" key={token.token_id}>
            <div class="row">
              <strong>{token.name}</strong>
              <span>{token.scopes.join(', ')}</span>
              <Life token={token} />
              <button
                type="button"
                aria-label={`Rotate ${token.name}`}
                disabled={rotate.isRunning}
                onClick={() => rotate.run(token.token_id)}
              >
                Rotate
              </button>
              <Confirm
                words="Revoke"
                of={token.name}
                question={`Revoke ${token.name}?`}
                run={() => revoke.run(token.token_id)}
                isRunning={revoke.isRunning}
              >
                <p>What uses it is refused within a second, for good.</p>
              </Confirm>
            </div>
            <Reach token={token} />
          </li>
        ))}
      </ul>
      <More more={more} />
      <NewToken me={me} made={show} />
    </>
  );
}

const Life = ({ token: { last_used_at, expires_at } }: { token: ServiceToken }) => (
  <span class="quiet">
    {last_used_at ? (
      <>
        used <Time at={last_used_at} />
      </>
    ) : (
      'never used'
    )}
    {expires_at && (
      <>
        {' '}
        · expires <Time at={expires_at} />
      </>
    )}
  </span>
);

/** Where it is good, and whose name it acts in. */
function Reach({ token: { project_ids, user_id, created_at } }: { token: ServiceToken }) {
  const { data } = useProjects();
  const nameOf = (id: string) => data?.projects.find(({ project_id }) => project_id === id)?.name ?? id;
  return (
    <p class="quiet">
      {project_ids === null ? 'every project' : project_ids.map(nameOf).join(', ')}
      {user_id && ` · as ${user_id}`} · made <Time at={created_at} />
    </p>
  );
}
