import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import type { Delivery } from '../types.js';
import { mustAll } from './delivery.js';

const STRATEGIES = [
  ['squash', 'as one commit'],
  ['merge', 'with a merge commit'],
  ['rebase', 'commit by commit'],
  ['ff', 'by fast-forward'],
] as const;
type Strategy = (typeof STRATEGIES)[number][0];
const MERGEABLE = new Set<Delivery['state']>(['ready', 'failed', 'pushed', 'partly_delivered']);

interface MergeBody {
  strategy?: Strategy;
  checked_out?: 'update';
  allow_failed?: true;
}

interface ActionsProps {
  delivery: Delivery;
  reload: () => void;
}

/** Merge into the target branch, update from it, undo the merge. */
export function LocalActions({ delivery: { attempt_id, state, repos }, reload }: ActionsProps) {
  const [strategy, setStrategy] = useState<Strategy>('squash');
  const [asked, setAsked] = useState<MergeBody>({});
  const { merge, update, undo } = useVerbs(attempt_id, reload);
  const ask = (body: MergeBody) => {
    setAsked(body);
    merge.run(body);
  };
  const isBusy = merge.isRunning || update.isRunning || undo.isRunning;
  const isBehind = repos.some(({ behind, operation }) => behind > 0 && !operation);
  const button = (words: string, act: () => void, isPossible = true, look = '') => (
    <button type="button" class={look} disabled={isBusy || !isPossible} onClick={act}>
      {words}
    </button>
  );
  return (
    <>
      <div class="bar start">
        {state === 'merged' ? (
          button('Undo merge', undo.run)
        ) : (
          <>
            {button('Merge', () => ask({ strategy }), MERGEABLE.has(state), 'primary')}
            <StrategyChoice {...{ strategy, setStrategy }} />
          </>
        )}
        {isBehind && button('Update from target', () => update.run('merge'))}
        {isBehind && button('Rebase on target', () => update.run('rebase'))}
      </div>
      <Refusal error={merge.error ?? update.error ?? undo.error} />
      {merge.error?.code === 'target_checked_out' &&
        button('Merge and update the checkout', () => ask({ ...asked, checked_out: 'update' }))}
      {merge.error?.code === 'attempt_failed' &&
        button('Merge it all the same', () => ask({ ...asked, allow_failed: true }), true, 'danger')}
    </>
  );
}

function useVerbs(attempt_id: string, reload: () => void) {
  const paramsOf = (key: string) => ({ path: { attempt_id }, header: { 'Idempotency-Key': key } });
  const merge = useAction(async (key, body: MergeBody) => {
    await mustAll(must(api.POST('/api/attempts/{attempt_id}/merge', { params: paramsOf(key), body })));
    reload();
  }, 'Merged');
  const update = useAction(async (key, method: 'merge' | 'rebase') => {
    const body = { action: 'start' as const, method };
    await must(api.POST('/api/attempts/{attempt_id}/branch/update', { params: paramsOf(key), body }));
    reload();
  }, 'Updated from the target');
  const undo = useAction(async (key) => {
    const body = { checked_out: 'update' as const };
    await mustAll(must(api.POST('/api/attempts/{attempt_id}/merge/undo', { params: paramsOf(key), body })));
    reload();
  }, 'Merge undone');
  return { merge, update, undo };
}

function StrategyChoice(props: { strategy: Strategy; setStrategy: (strategy: Strategy) => void }) {
  return (
    <select
      aria-label="How to merge"
      value={props.strategy}
      onChange={(event) => props.setStrategy(event.currentTarget.value as Strategy)}
    >
      {STRATEGIES.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}
