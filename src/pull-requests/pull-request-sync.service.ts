import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { isOpen, type PullRequestRow, type SeenFields } from '../deliveries/pull-request.entity.js';
import { dueIn, dueWhileRecent, PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import { asActor, type Principal } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { NOW } from '../platform/database/record-time.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { CommitStatuses } from './commit-statuses.js';
import { PullRequestEnds } from './pull-request-ends.js';
import { PullRequestTrace } from './pull-request-trace.js';

/** The recorded actor of changes found by polling. */
const TASKYARD = asActor('@taskyard', 'system');
const LONGEST_SECS = 3_600;
/** Of one look, while others store theirs. */
const MOST_READS = 5;
/** How long a closed one is watched, because it may be reopened. */
const WATCHED_AFTER_END_DAYS = 14;

/** Reads pull requests from the forge, whose answer is the truth; while it does not answer, the last one is kept. */
@Injectable()
export class PullRequestSync {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly database: Database,
    private readonly forges: ForgesService,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly trace: PullRequestTrace,
    private readonly ends: PullRequestEnds,
    private readonly statuses: CommitStatuses,
  ) {}

  /** If the forge cannot be asked, that is noted and everything else stays. @param principal who caused the change */
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
    const stored = await this.read(row, principal);
    return stored.is_settled ? stored : this.ends.settle(stored, principal);
  }

  /** Reads again if another read was stored meanwhile, which may be newer. The caller may know that it is queued. */
  private async read({ id, state }: PullRequestRow, principal: Principal): Promise<PullRequestRow> {
    for (let reads = 1; ; reads += 1) {
      const known = (await this.pullRequestRows.find(id))!;
      const stored = await this.store(known, await this.look({ ...known, state }), principal);
      if (stored !== null) return stored;
      if (reads === MOST_READS) return (await this.pullRequestRows.find(id))!;
    }
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
      forge.checks(forge_repository, seen).then((all) => this.statuses.tell(row, head_commit, all)),
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

  /** @returns null if another read was stored since the row was known so */
  private store(known: PullRequestRow, seen: SeenFields, principal: Principal): Promise<PullRequestRow | null> {
    return this.database.transaction(async (tx) => {
      const before = await this.pullRequestRows.lockUnread(tx, known);
      if (before === null) return null;
      if (before.state === 'merged' && seen.state !== 'merged') return before; // a merge is final, the answer is old
      const changed = fieldsThatDiffer(before, seen);
      const isPending = isOpen(seen) && (seen.checks === 'pending' || seen.mergeability === 'unknown');
      const quiet_polls = changed.length === 0 && !isPending ? before.quiet_polls + 1 : 0;
      const secs = this.pauseSecs(quiet_polls);
      const isWatched = isOpen(seen) || changed.length > 0;
      await this.pullRequestRows.update(tx, known.id, {
        ...seen,
        quiet_polls,
        synced_at: NOW,
        sync_error: null,
        is_settled: before.state === seen.state && before.is_settled,
        ...(changed.length > 0 && { updated_at: NOW }),
        next_sync_at: isWatched ? dueIn(secs) : dueWhileRecent(secs, WATCHED_AFTER_END_DAYS),
      });
      const after = (await this.pullRequestRows.find(known.id))!;
      await this.note(tx, before, after, principal);
      return after;
    });
  }

  /** The end of one is noted when it is settled. */
  private async note(
    tx: Transaction,
    before: PullRequestRow,
    after: PullRequestRow,
    principal: Principal,
  ): Promise<void> {
    const changed = fieldsThatDiffer(before, after);
    if (changed.length > 0 && before.state === after.state)
      await this.trace.note(tx, after, 'pull_request_changed', wordsOf(after, changed), null);
    const words = `pull request #${after.pr_number} is ${after.state}`;
    if (before.state !== after.state && isOpen(after))
      await this.trace.note(tx, after, 'pull_request_changed', words, principal);
  }

  /** Doubles each time nothing has changed. */
  private pauseSecs(quiet_polls: number): number {
    return Math.min(this.environment.FORGE_POLL_SECS * 2 ** Math.min(quiet_polls, 12), LONGEST_SECS);
  }

  private async noteFailure(row: PullRequestRow, refused: AppError): Promise<void> {
    await this.database.transaction(async (tx) => {
      const quiet_polls = (await this.pullRequestRows.lock(tx, row.id)).quiet_polls + 1;
      const next_sync_at = dueIn(this.pauseSecs(quiet_polls));
      await this.pullRequestRows.update(tx, row.id, { sync_error: refused.message, quiet_polls, next_sync_at });
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
