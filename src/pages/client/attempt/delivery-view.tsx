import { useRef } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { Delivery, RepoDelivery } from '../types.js';
import { concerns } from './attempt-page.js';
import { requestKey } from './follow-up-box.js';

const WORDS: Record<Delivery['state'], string> = {
  none: 'Nothing to deliver yet',
  ready: 'Ready to merge',
  conflicted: 'Conflicts with the target',
  updating: 'Update in progress',
  pushed: 'Pushed',
  pr_open: 'Pull request open',
  pr_queued: 'Waiting in the merge queue',
  pr_merged: 'Pull request merged',
  pr_closed: 'Pull request closed',
  merged: 'Merged',
  partly_delivered: 'Partly delivered',
};

/** Where the work stands against its target branch, and the ways to get it there. */
export function DeliveryView({ attempt_id }: { attempt_id: string }) {
  const params = { path: { attempt_id } };
  const delivery = useResource<Delivery>(
    `delivery:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/delivery', { params })),
    concerns(attempt_id),
  );
  const key = useRef(requestKey());
  const deliver = useAction(async (verb: 'merge' | 'update' | 'undo', checked_out: 'refuse' | 'update' = 'refuse') => {
    const path = { merge: MERGE, update: UPDATE, undo: UNDO }[verb];
    const params = { path: { attempt_id }, header: { 'Idempotency-Key': `${key.current}-${verb}-${checked_out}` } };
    if (path === UPDATE) await must(api.POST(UPDATE, { params, body: { action: 'start' } }));
    else if (path === MERGE) await must(api.POST(MERGE, { params, body: { checked_out } }));
    else await must(api.POST(UNDO, { params, body: { checked_out: 'update' } }));
    key.current = requestKey();
    delivery.reload();
  }, 'Done');
  if (!delivery.data) return delivery.error ? <Refusal error={delivery.error} /> : <Loading />;
  const { state, repos } = delivery.data;
  const isBehind = repos.some(({ behind }) => behind > 0);
  return (
    <section class="delivery">
      <h2>{WORDS[state]}</h2>
      {repos.map((repo) => (
        <RepoStanding key={repo.repo_id} repo={repo} />
      ))}
      <div class="bar">
        <button
          type="button"
          class="primary"
          disabled={deliver.isRunning || (state !== 'ready' && state !== 'partly_delivered')}
          onClick={() => deliver.run('merge')}
        >
          Merge
        </button>
        <button type="button" disabled={deliver.isRunning || !isBehind} onClick={() => deliver.run('update')}>
          Update from target
        </button>
        {state === 'merged' && (
          <button type="button" disabled={deliver.isRunning} onClick={() => deliver.run('undo')}>
            Undo merge
          </button>
        )}
      </div>
      <Refusal error={deliver.error} />
      {deliver.error?.code === 'target_checked_out' && (
        <div class="bar">
          <button type="button" disabled={deliver.isRunning} onClick={() => deliver.run('merge', 'update')}>
            Merge and update the checkout
          </button>
        </div>
      )}
    </section>
  );
}

const MERGE = '/api/attempts/{attempt_id}/merge';
const UNDO = '/api/attempts/{attempt_id}/merge/undo';
const UPDATE = '/api/attempts/{attempt_id}/branch/update';

function RepoStanding({ repo }: { repo: RepoDelivery }) {
  return (
    <div class="card">
      <h3>{repo.repo_name}</h3>
      <p>
        <code>{repo.branch}</code> → <code>{repo.target_branch}</code>
      </p>
      <p class="quiet">
        {repo.ahead} ahead, {repo.behind} behind{repo.uncommitted && ', with uncommitted work'}. {WORDS[repo.state]}.
      </p>
      {repo.preview && !repo.preview.clean && (
        <ul>
          {repo.preview.conflicts.map((file) => (
            <li key={file.path}>
              <code>{file.path}</code> {file.kind}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
