import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { isOpen, type PullRequestRow, type SeenFields } from '../deliveries/pull-request.entity.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { PullRequestEnds } from './pull-request-ends.js';
import { PullRequestTrace } from './pull-request-trace.js';

/** What the server sees by itself, nobody else did for it. */
const TASKYARD = asActor('@taskyard', 'system');
const LONGEST_SECS = 3_600;
/** A closed one may be opened again, but not for ever. */
const WATCHED_AFTER_END_MS = 14 * 24 * 3_600_000;

/** Asks the forge what became of a pull request. Its answer is the truth; while it does not answer, the last one is
 *  kept. */
@Injectable()
export class PullRequestSync {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly forges: ForgesService,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly trace: PullRequestTrace,
    private readonly ends: PullRequestEnds,
  ) {}

  /** A forge that cannot be asked is noted, and everything else stays. @param principal who caused the change */
  async refresh(row: PullRequestRow, principal: Principal = TASKYARD): Promise<PullRequestRow> {
    try {
      return await this.refreshNow(row, principal);
    } catch (error) {
      const refused = toAppError(error);
      if (refused === null) throw error;
      await this.noteFailure(row, refused);
      return (await this.pullRequestRows.find(row.id)) ?? row;
    }
  }

  /** @throws AppError forge_unconfigured, forge_failed, forge_rate_limited, forge_auth_failed,
   *  pull_request_not_found */
  async refreshNow(row: PullRequestRow, principal: Principal = TASKYARD): Promise<PullRequestRow> {
    const stored = await this.store(row.id, await this.look(row), principal);
    return stored.is_settled ? stored : this.ends.settle(stored, principal);
  }

  private async look(row: PullRequestRow): Promise<SeenFields> {
    const { forge_host, forge_repository, pr_number } = row;
    const forge = this.forges.get(forge_host);
    const seen = await forge.read(forge_repository, pr_number, row.state === 'queued');
    const { state, title, draft, head_commit, base_branch, mergeability, merge_commit, merged_by } = seen;
    const fields = { state, title, draft, head_commit, base_branch, mergeability, merge_commit, merged_by };
    if (!isOpen(seen)) {
      const { checks, check_list, checks_complete, review, review_list } = row;
      return { ...fields, checks, check_list, checks_complete, review, review_list };
    }
    const [report, reviews] = await Promise.all([
      forge.checks(forge_repository, seen),
      forge.reviews(forge_repository, seen),
    ]);
    return {
      ...fields,
      checks: report.state,
      check_list: report.checks,
      checks_complete: report.complete,
      review: reviews.state,
      review_list: reviews.reviews,
    };
  }

  private store(id: string, seen: SeenFields, principal: Principal): Promise<PullRequestRow> {
    return this.database.transaction(async (tx) => {
      const before = await this.pullRequestRows.lock(tx, id);
      const changed = fieldsThatDiffer(before, seen);
      const now = new Date();
      const isQuiet = changed.length === 0 && seen.checks !== 'pending' && seen.mergeability !== 'unknown';
      const quiet_polls = isQuiet ? before.quiet_polls + 1 : 0;
      const after: PullRequestRow = {
        ...before,
        ...seen,
        quiet_polls,
        synced_at: now,
        sync_error: null,
        is_settled: before.state === seen.state && before.is_settled,
        updated_at: changed.length > 0 ? now : before.updated_at,
        next_sync_at: null,
      };
      after.next_sync_at = this.nextLook(after);
      const { number: _, ...change } = after;
      await this.pullRequestRows.update(tx, id, change);
      if (changed.length > 0 && before.state === seen.state)
        await this.trace.note(tx, after, 'pull_request_changed', wordsOf(after, changed), null);
      if (before.state !== seen.state && isOpen(seen))
        await this.trace.note(
          tx,
          after,
          'pull_request_changed',
          `pull request #${after.pr_number} is ${seen.state}`,
          principal,
        );
      return after;
    });
  }

  /** Twice as late each time that nothing has changed. */
  private nextLook({ state, quiet_polls, updated_at }: PullRequestRow): Date | null {
    if (!isOpen({ state }) && Date.now() - updated_at.getTime() > WATCHED_AFTER_END_MS) return null;
    return this.in(quiet_polls);
  }

  private in(quiet: number): Date {
    const secs = Math.min(this.environment.FORGE_POLL_SECS * 2 ** Math.min(quiet, 12), LONGEST_SECS);
    return new Date(Date.now() + secs * 1_000);
  }

  private async noteFailure(row: PullRequestRow, refused: AppError): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { quiet_polls } = await this.pullRequestRows.lock(tx, row.id);
      const next_sync_at = this.in(quiet_polls + 1);
      await this.pullRequestRows.update(tx, row.id, {
        sync_error: refused.message,
        quiet_polls: quiet_polls + 1,
        next_sync_at,
      });
    });
  }
}

const shown = ['title', 'draft', 'head_commit', 'base_branch', 'mergeability', 'checks', 'review', 'state'] as const;
type Shown = (typeof shown)[number];

const fieldsThatDiffer = (before: PullRequestRow, seen: SeenFields): Shown[] =>
  shown.filter((name) => before[name] !== seen[name]);

const wordsOf = (row: PullRequestRow, changed: Shown[]): string =>
  `pull request #${row.pr_number}: ${changed.map((name) => factOf(row, name)).join(', ')}`;

const factOf = (row: PullRequestRow, name: Shown): string => `${name.replaceAll('_', ' ')} ${String(row[name])}`;
