import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import type { PullRequest } from '../types.js';
import { ChecksRequired, overridden, type Override } from './checks-required.js';
import { isOpen } from './delivery.js';
import { CHECKS, MERGEABILITY, REVIEWS } from './delivery-words.js';
import { PullRequestForm } from './pull-request-form.js';
import { Review } from './review.js';

interface PanelProps {
  attempt_id: string;
  pull: PullRequest & { repo_id: string };
  mayOverride: boolean;
  reload: () => void;
}

/** A pull request, and what can be done with it. */
export function PullRequestPanel({ attempt_id, pull, mayOverride, reload }: PanelProps) {
  return (
    <section class="pull" aria-label={`Pull request ${pull.number}`}>
      <h4>
        <a href={pull.url} target="_blank" rel="noopener noreferrer">
          {pull.repository}#{pull.number}
        </a>{' '}
        {pull.title} <span class={`badge ${pull.state}`}>{pull.draft ? 'draft' : pull.state}</span>
      </h4>
      <p class="facts">
        <span class={`checks ${pull.checks}`}>{CHECKS[pull.checks]}</span>
        <span>{REVIEWS[pull.review]}</span>
        {isOpen(pull.state) && <span>{MERGEABILITY[pull.mergeability]}</span>}
        {pull.merged_by && <span>merged by {pull.merged_by}</span>}
        <span class="quiet">
          as of <Time at={pull.synced_at} />
        </span>
      </p>
      {pull.sync_error && <p class="notice">{pull.sync_error}</p>}
      {isOpen(pull.state) && <PullActions {...{ attempt_id, pull, mayOverride, reload }} />}
      <Review {...{ attempt_id, repo_id: pull.repo_id, isOpen: isOpen(pull.state), synced_at: pull.synced_at }} />
    </section>
  );
}

type Verb = 'squash' | 'merge' | 'rebase' | 'queue' | 'close';

function PullActions({ attempt_id, pull, mayOverride, reload }: PanelProps) {
  const { repo_id, head_commit: expected_head } = pull;
  const forges = useResource('forges', () => must(api.GET('/api/forges')));
  const forge = forges.data?.forges.find(({ host }) => host === pull.host);
  const [isEdited, setEdited] = useState(false);
  const [asked, setAsked] = useState<Verb>('merge');
  const act = useAction(async (key, verb: Verb, override?: Override) => {
    setAsked(verb);
    const params = { path: { attempt_id }, header: { 'Idempotency-Key': key } };
    const at = '/api/attempts/{attempt_id}/pull-request';
    if (verb === 'close') await must(api.POST(`${at}/close`, { params, body: { repo_id } }));
    else if (verb === 'queue')
      await must(api.POST(`${at}/queue`, { params, body: { repo_id, expected_head, override } }));
    else await must(api.POST(`${at}/merge`, { params, body: { repo_id, expected_head, method: verb, override } }));
    overridden(attempt_id);
    reload();
  }, 'Done');
  return (
    <>
      <div class="bar start">
        {forge?.merge_methods.map((method) => (
          <button key={method} type="button" disabled={act.isRunning} onClick={() => act.run(method)}>
            {METHODS[method]}
          </button>
        ))}
        {forge?.has_queue && pull.state === 'open' && (
          <button type="button" disabled={act.isRunning} onClick={() => act.run('queue')}>
            Add to merge queue
          </button>
        )}
        <button type="button" onClick={() => setEdited(true)}>
          Edit…
        </button>
        <button type="button" class="danger" disabled={act.isRunning} onClick={() => act.run('close')}>
          Close pull request
        </button>
      </div>
      <Refusal error={act.error} />
      <ChecksRequired
        {...{ attempt_id, mayOverride }}
        error={act.error}
        isBusy={act.isRunning}
        deliver={(override) => act.run(asked, override)}
      />
      {isEdited && (
        <PullRequestForm
          title="Edit the pull request"
          {...{ attempt_id, mayOverride }}
          changed={pull}
          close={() => setEdited(false)}
          done={reload}
        />
      )}
    </>
  );
}

const METHODS = { squash: 'Squash and merge', merge: 'Merge pull request', rebase: 'Rebase and merge' };
