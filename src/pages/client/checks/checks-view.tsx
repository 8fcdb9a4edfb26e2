import { api, must } from '../api.js';
import { concernsAttempt } from '../feed.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useLookingAgain, useResource } from '../resource.js';
import { to } from '../routes.js';
import type { AttemptStatus, Checks } from '../types.js';
import { CheckRow } from './check-row.js';
import { Continuations } from './continuations.js';
import { RunChecks } from './run-checks.js';

/** How often checks under way are read again: the page is told of the first and of the last. */
const LOOK_AGAIN_MS = 1_500;

const STATES: Record<NonNullable<Checks['state']>, string> = {
  pending: 'Checks wait to run',
  running: 'Checks run',
  passed: 'Checks passed',
  failed: 'Checks failed',
  errored: 'Checks could not be run',
  skipped: 'Nothing was to be checked',
  stale: 'Checks are stale: the work, its target or the checks have changed since',
};

interface ViewProps {
  status: AttemptStatus;
  project_id: string;
}

/** What the server has checked of the work, what the agent is still to repair, and what a second agent says of it. */
export function ChecksView({ status: { attempt_id }, project_id }: ViewProps) {
  const params = { path: { attempt_id } };
  const checks = useResource<Checks>(
    `checks:${attempt_id}`,
    () => must(api.GET('/api/attempts/{attempt_id}/checks', { params })),
    concernsAttempt(attempt_id),
  );
  const { data, error, reload } = checks;
  useLookingAgain(data?.state === 'pending' || data?.state === 'running', LOOK_AGAIN_MS, checks);
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  return (
    <section class="checks">
      <header class="page-head lead">
        <h2>{data.state ? STATES[data.state] : 'Nothing was checked yet'}</h2>
        <RunChecks attempt_id={attempt_id} done={reload} />
      </header>
      <About checks={data} address={to.settings(project_id, 'checks')} />
      {data.exhausted_reason && (
        <p class="notice warm">It is not sent back to the agent by itself any more: {data.exhausted_reason}</p>
      )}
      <Continuations attempt_id={attempt_id} />
      <ul class="plain-list" aria-label="Checks">
        {data.checks.map((check) => (
          <CheckRow key={`${check.repo_id} ${check.name}`} check={check} />
        ))}
      </ul>
      {data.tampering.length > 0 && <Tampering paths={data.tampering} />}
      {data.review && <Review review={data.review} address={to.part(project_id, attempt_id, 'changes')} />}
    </section>
  );
}

function About({ checks: { head, version, rounds_used }, address }: { checks: Checks; address: string }) {
  return (
    <p class="facts quiet">
      {head && (
        <span>
          of the commit <code>{head.slice(0, 8)}</code>
        </span>
      )}
      {rounds_used > 0 && <span>{rounds_used === 1 ? 'one round' : `${rounds_used} rounds`} of repair</span>}
      <a href={address}>{version === null ? 'Set up checks' : 'Settings'}</a>
    </p>
  );
}

const Tampering = ({ paths }: { paths: string[] }) => (
  <div class="notice warm">
    <p>
      <strong>The work changes what checks it.</strong> Read these files before you deliver it:
    </p>
    <ul>
      {paths.map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  </div>
);

function Review({ review, address }: { review: NonNullable<Checks['review']>; address: string }) {
  const { state, verdict, summary, reason } = review;
  return (
    <article class="card" aria-label="Review">
      <h3>
        A second agent’s review <span class={`badge ${verdict ?? state}`}>{verdict ? VERDICTS[verdict] : state}</span>
      </h3>
      <p class="prompt">{summary ?? reason}</p>
      {verdict && <a href={address}>Its remarks on the changes</a>}
    </article>
  );
}

const VERDICTS = { approve: 'approves', request_changes: 'requests changes' };
