import { useHasAgent } from '../attempt/follow-up.js';
import type { Me } from '../frame/session.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useProject } from '../projects.js';
import { hasScope, isAtLeast } from '../rights.js';
import type { AttemptStatus, Delivery } from '../types.js';
import { useDelivery } from './delivery.js';
import { STATES } from './delivery-words.js';
import { LocalActions } from './local-actions.js';
import { RemoteActions } from './remote-actions.js';
import { RepoStanding } from './repo-standing.js';

interface ViewProps {
  status: AttemptStatus;
  project_id: string;
  me: Me;
}

/** The work compared with its target branch, and the ways to deliver it. */
export function DeliveryView({ status, project_id, me }: ViewProps) {
  const { attempt_id } = status;
  const hasAgent = useHasAgent(status);
  const role = useProject(project_id).data?.role ?? 'viewer';
  const mayOverride = hasScope(me, 'deliver') && isAtLeast(role, 'maintainer');
  const { data, error, reload } = useDelivery(attempt_id);
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  return (
    <section class="delivery">
      <header class={data.state}>
        <h2>{STATES[data.state]}</h2>
        <p class="quiet">{nextFor(data, hasAgent)}</p>
      </header>
      <div class="actions">
        <LocalActions delivery={data} {...{ hasAgent, mayOverride, reload }} />
        <RemoteActions delivery={data} {...{ mayOverride, reload }} />
      </div>
      {data.repos.map((repo) => (
        <RepoStanding
          key={repo.repo_id}
          {...{ attempt_id, repo, hasAgent, mayOverride, reload }}
          overall={data.state}
        />
      ))}
    </section>
  );
}

function nextFor({ state, repos }: Delivery, hasAgent: boolean): string {
  if (state === 'running') return 'What it has done so far can be looked at.';
  if (state === 'failed') return 'Read its log, then let the agent go on; or deliver what there is all the same.';
  if (repos.some(({ operation }) => operation))
    return hasAgent ? 'Resolve the conflicts, or let the agent do it.' : 'Resolve the conflicts.';
  if (state === 'conflicted')
    return 'The target has changed the same lines. Nothing can be merged until that is resolved.';
  if (state === 'ready') return 'Uncommitted work is committed to the branch before the merge.';
  if (state === 'none') return 'The branch holds nothing that the target lacks.';
  if (state === 'merged') return 'The work is on its target branch.';
  return '';
}
