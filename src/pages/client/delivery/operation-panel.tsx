import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { sendFollowUp } from '../attempt/follow-up.js';
import { Refusal } from '../parts/notice.js';
import type { RepoDelivery } from '../types.js';

type Operation = NonNullable<RepoDelivery['operation']>;

interface OperationProps {
  attempt_id: string;
  repo_id: string;
  operation: Operation;
  hasAgent: boolean;
  reload: () => void;
}

/** An update with conflicts, which the agent or a person resolves in the worktree, and which is then continued or
 *  aborted. */
export function OperationPanel({ attempt_id, repo_id, operation, hasAgent, reload }: OperationProps) {
  const update = useAction(async (key, action: 'continue' | 'abort') => {
    const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
    await must(api.POST('/api/attempts/{attempt_id}/branch/update', { params, body: { action, repo_id } }));
    reload();
  }, 'Done');
  const ask = useAction(async (key) => {
    await sendFollowUp({ attempt_id, key, action: 'send', resolve: true });
    reload();
  }, 'The agent was asked to resolve the conflicts');
  const open = operation.files.filter(({ resolved }) => !resolved).length;
  const isBusy = update.isRunning || ask.isRunning;
  return (
    <div class="notice warm">
      <p>
        <strong>A {operation.operation} is in progress.</strong>{' '}
        {open === 0 ? 'All conflicts are resolved.' : `${open} of ${operation.file_count} conflicts are open.`}
      </p>
      <ConflictFiles files={operation.files} />
      <div class="bar start">
        {open > 0 && hasAgent && (
          <button type="button" class="primary" disabled={isBusy} onClick={() => ask.run()}>
            Ask the agent to resolve
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={() => update.run('continue')}>
          Continue update
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => update.run('abort')}>
          Abort update
        </button>
      </div>
      <Refusal error={update.error ?? ask.error} />
    </div>
  );
}

export function ConflictFiles({ files }: { files: Operation['files'] }) {
  return (
    <ul>
      {files.map(({ path, kind, resolved, reason }) => (
        <li key={path}>
          <code>{path}</code> {kind === 'content' ? 'changed on both sides' : kind.replaceAll('_', ' ')}
          {resolved && ', resolved'}
          {reason && <span class="quiet"> {reason}</span>}
        </li>
      ))}
    </ul>
  );
}
