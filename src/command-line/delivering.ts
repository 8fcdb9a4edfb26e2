import { type Schemas, TaskyardError } from '../client/index.js';
import { chosenAttempt, type AttemptPlace } from './chosen-attempt.js';
import { CommandFailure, exitOf } from './exits.js';
import { hintToType, nextCommand } from './next-command.js';
import { complain, print, printJson } from './output.js';
import { type CommonOptions, openSession } from './session.js';

type Envelope = Schemas['ErrorEnvelope'];

/** What a delivery did in one repository. */
interface Delivered {
  repo_name: string;
  status: string;
  error: Envelope | null;
}

export type DeliverOptions = CommonOptions & AttemptPlace & { allowFailed?: boolean; override?: string };
type MergeFields = Pick<Schemas['MergeBody'], 'strategy' | 'message'>;
export type MergeOptions = DeliverOptions & MergeFields & { updateCheckout?: boolean; dryRun?: boolean };
export type PullRequestOptions = DeliverOptions & { draft?: boolean; title?: string };

export async function merge(given: string | undefined, options: MergeOptions): Promise<void> {
  const { client, params, body } = await subjectOf(given, options);
  const { strategy, message, updateCheckout, dryRun } = options;
  const asked = {
    ...body,
    ...(strategy && { strategy }),
    ...(message && { message }),
    ...(updateCheckout && { checked_out: 'update' as const }),
    ...(dryRun && { dry_run: true }),
  };
  const answer = await client.POST('/api/attempts/{attempt_id}/merge', { params, body: asked });
  conclude(answer, options, ({ commit }) => commit?.slice(0, 12) ?? '');
}

export async function push(given: string | undefined, options: DeliverOptions): Promise<void> {
  const { client, params, body } = await subjectOf(given, options);
  const answer = await client.POST('/api/attempts/{attempt_id}/push', { params, body });
  conclude(answer, options, ({ head }) => head.slice(0, 12));
}

export async function openPullRequest(given: string | undefined, options: PullRequestOptions): Promise<void> {
  const { client, params, body } = await subjectOf(given, options);
  const { draft, title } = options;
  const asked = { ...body, ...(draft && { draft }), ...(title !== undefined && { title }) };
  const answer = await client.POST('/api/attempts/{attempt_id}/pull-request', { params, body: asked });
  conclude(answer, options, ({ pull_request }) => pull_request?.url ?? '');
}

async function subjectOf(given: string | undefined, options: DeliverOptions) {
  const session = openSession(options);
  const attempt_id = await chosenAttempt(session, given, options);
  const { allowFailed, override } = options;
  const body = { ...(allowFailed && { allow_failed: true }), ...(override && { override: { reason: override } }) };
  return { client: session.client, params: { path: { attempt_id } }, body };
}

/** @throws CommandFailure where anything was not delivered */
function conclude<R extends Delivered>(
  answer: { attempt_id: string; state: string; repos: R[] },
  { json }: CommonOptions,
  about: (repo: R) => string,
): void {
  if (json) printJson(answer);
  for (const repo of answer.repos) {
    if (!json) print(`${repo.repo_name}: ${repo.status} ${about(repo)}`.trimEnd());
    if (repo.error) complain(`  ${repo.error.message} ${hintToType(repo.error.hint)}`);
  }
  const failed = answer.repos.flatMap(({ error }) => error ?? []);
  if (failed[0] === undefined) return;
  const refusal = new TaskyardError(failed[0], 409);
  throw new CommandFailure(
    'not everything was delivered',
    exitOf(refusal),
    nextCommand(refusal) || `taskyard status ${answer.attempt_id}`,
  );
}
