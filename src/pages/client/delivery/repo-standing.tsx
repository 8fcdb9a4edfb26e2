import type { Delivery, RepoDelivery } from '../types.js';
import { STATES } from './delivery-words.js';
import { ConflictFiles, OperationPanel } from './operation-panel.js';
import { PullRequestPanel } from './pull-request-panel.js';

interface StandingProps {
  attempt_id: string;
  repo: RepoDelivery;
  /** State of all repositories together, shown above them. */
  overall: Delivery['state'];
  hasAgent: boolean;
  mayOverride: boolean;
  reload: () => void;
}

/** One repository: its branch compared with the target, an update in progress, and its pull request. */
export function RepoStanding({ attempt_id, repo, overall, hasAgent, mayOverride, reload }: StandingProps) {
  const { repo_id, repo_name, branch, target_branch, ahead, behind, uncommitted, preview, operation } = repo;
  return (
    <article class="card">
      <h3>
        {repo_name} {repo.state !== overall && <span class="badge">{STATES[repo.state]}</span>}
      </h3>
      <p class="facts">
        <span class="branches">
          <code>{branch}</code> → <code>{target_branch}</code>
        </span>
        <span>{ahead} ahead</span>
        <span>{behind} behind</span>
        {uncommitted && <span>uncommitted work</span>}
        {repo.remote && (
          <span>
            on {repo.remote.name} as <code>{repo.remote.commit.slice(0, 8)}</code>
          </span>
        )}
      </p>
      {repo.fetch_error && <p class="notice">As of the last fetch: {repo.fetch_error}</p>}
      {preview?.clean && repo.state === 'ready' && <p class="good">Merges without a conflict.</p>}
      {preview && !preview.clean && (
        <>
          <p>A merge would meet these conflicts:</p>
          <ConflictFiles files={preview.conflicts} />
        </>
      )}
      {operation && <OperationPanel {...{ attempt_id, repo_id, operation, hasAgent, reload }} />}
      {repo.pull_request && (
        <PullRequestPanel {...{ attempt_id, mayOverride, reload }} pull={{ ...repo.pull_request, repo_id }} />
      )}
    </article>
  );
}
