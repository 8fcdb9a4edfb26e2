import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import { toast } from '../parts/toast.js';
import type { Delivery } from '../types.js';
import { ChecksRequired, overridden, type Override } from './checks-required.js';
import { mustAll } from './delivery.js';
import { isCheckedOut, MergeDialog, unasked } from './merge-dialog.js';

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
  override?: Override;
}

interface ActionsProps {
  delivery: Delivery;
  /** Whom conflicts can be given to. */
  hasAgent: boolean;
  mayOverride: boolean;
  reload: () => void;
}

/** Merge into the target branch, update from it, undo the merge. */
export function LocalActions({ delivery, hasAgent, mayOverride, reload }: ActionsProps) {
  const { attempt_id, state } = delivery;
  const { merge, update, undo } = useVerbs(attempt_id, reload);
  const isBusy = merge.isRunning || update.isRunning || undo.isRunning;
  return (
    <>
      <div class="bar start">
        {state === 'merged' && (
          <button type="button" disabled={isBusy} onClick={undo.run}>
            Undo merge
          </button>
        )}
        {state !== 'merged' && state !== 'conflicted' && <Merge {...{ delivery, isBusy }} run={merge.run} />}
        <Updates {...{ delivery, hasAgent, isBusy }} run={update.run} />
      </div>
      <Refusal error={merge.error ?? update.error ?? undo.error} />
      <AllTheSame {...{ merge, isBusy }} />
      <ChecksRequired
        {...{ attempt_id, mayOverride, isBusy }}
        error={merge.error}
        deliver={(override) => merge.run({ ...merge.asked, override })}
      />
    </>
  );
}

interface UpdatesProps {
  delivery: Delivery;
  hasAgent: boolean;
  isBusy: boolean;
  run: (method: 'merge' | 'rebase', isForAgent: boolean) => void;
}

/** Brings the target into the branch. Where that conflicts, its agent resolves it, unless somebody wants to. */
function Updates({ delivery: { state, repos }, hasAgent, isBusy, run }: UpdatesProps) {
  const isBehind = repos.some(({ behind, operation }) => behind > 0 && !operation);
  const isConflict = state === 'conflicted' && repos.every(({ operation }) => !operation);
  return (
    <>
      {isConflict && hasAgent && (
        <>
          <p class="quiet">{WHAT_HAPPENS}</p>
          <button type="button" class="primary" disabled={isBusy} onClick={() => run('merge', true)}>
            Update and ask the agent to resolve
          </button>
          <span class="quiet">or resolve it by hand:</span>
        </>
      )}
      {isBehind && (
        <>
          <button type="button" disabled={isBusy} onClick={() => run('merge', false)}>
            Update from target
          </button>
          <button type="button" disabled={isBusy} onClick={() => run('rebase', false)}>
            Rebase on target
          </button>
        </>
      )}
    </>
  );
}

/** A merge that was refused for a reason that the person may set aside. */
function AllTheSame({ merge, isBusy }: { merge: ReturnType<typeof useVerbs>['merge']; isBusy: boolean }) {
  switch (merge.error?.code) {
    case 'target_checked_out':
      return (
        <button type="button" disabled={isBusy} onClick={() => merge.run({ ...merge.asked, checked_out: 'update' })}>
          Merge and update the checkout
        </button>
      );
    case 'attempt_failed':
      return (
        <button
          type="button"
          class="danger"
          disabled={isBusy}
          onClick={() => merge.run({ ...merge.asked, allow_failed: true })}
        >
          Merge it all the same
        </button>
      );
    default:
      return null;
  }
}

const WHAT_HAPPENS =
  'The target is merged into the branch, and the agent is given the conflicts. When it has resolved them, the update ' +
  'is complete and the work can be merged.';

interface MergeProps {
  delivery: Delivery;
  isBusy: boolean;
  run: (body: MergeBody) => void;
}

/** Asks first where the target is checked out and may not be touched yet. */
function Merge({ delivery, isBusy, run }: MergeProps) {
  const [strategy, setStrategy] = useState<Strategy>('squash');
  const [isAsked, setAsked] = useState(false);
  const merge = () => run({ strategy, checked_out: delivery.repos.some(isCheckedOut) ? 'update' : undefined });
  const begin = () => (unasked(delivery).length > 0 ? setAsked(true) : merge());
  return (
    <>
      <button type="button" class="primary" disabled={isBusy || !MERGEABLE.has(delivery.state)} onClick={begin}>
        Merge
      </button>
      <select
        aria-label="How to merge"
        value={strategy}
        onChange={(event) => setStrategy(event.currentTarget.value as Strategy)}
      >
        {STRATEGIES.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      {isAsked && <MergeDialog repos={unasked(delivery)} merge={merge} close={() => setAsked(false)} />}
    </>
  );
}

function useVerbs(attempt_id: string, reload: () => void) {
  const paramsOf = (key: string) => ({ path: { attempt_id }, header: { 'Idempotency-Key': key } });
  const [asked, setAsked] = useState<MergeBody>({});
  const takeBack = async (key: string) => {
    const body = { checked_out: 'update' as const };
    await mustAll(must(api.POST('/api/attempts/{attempt_id}/merge/undo', { params: paramsOf(key), body })));
    reload();
  };
  const merge = useAction(async (key, body: MergeBody) => {
    setAsked(body);
    await mustAll(must(api.POST('/api/attempts/{attempt_id}/merge', { params: paramsOf(key), body })));
    overridden(attempt_id);
    reload();
    const undoKey = crypto.randomUUID(); // one merge is undone once, however often it is asked
    toast('The work is merged.', () => takeBack(undoKey));
  });
  const update = useAction(async (key, method: 'merge' | 'rebase', isForAgent: boolean) => {
    const body = { action: 'start' as const, method, resolve: isForAgent ? {} : undefined };
    await must(api.POST('/api/attempts/{attempt_id}/branch/update', { params: paramsOf(key), body }));
    reload();
  }, 'Updated from the target');
  const undo = useAction(takeBack, 'Merge undone');
  return { merge: { ...merge, asked }, update, undo };
}
