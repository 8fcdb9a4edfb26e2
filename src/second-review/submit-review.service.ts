import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { StandingReview } from '../comments/agent-review.entity.js';
import { AgentReviewsRepository } from '../comments/agent-reviews.repository.js';
import type { NewComment } from '../comments/comment.entity.js';
import { CommentsRepository } from '../comments/comments.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { chargedAs, type Principal, writerIdOf } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { MAX_COMMENTS } from '../review/comments.service.js';
import { CommentTrace } from '../review/comment-trace.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import { FindingPlaces, type PlacedFinding } from './finding-places.js';
import { SecondReviewTrace } from './second-review-trace.js';
import type { SubmitReviewInput, SubmittedReviewOutput } from './submit-review.dto.js';

const MAX_FINDINGS = 50;
const SAY_THE_REST = 'Submit again with at most {left} findings, and say the rest in summary.';

/** Takes the verdict of a reviewer: once, from its own run, while that lives. */
@Injectable()
export class SubmitReviewService {
  constructor(
    private readonly database: Database,
    private readonly storage: StorageLimits,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly reviewRows: AgentReviewsRepository,
    private readonly commentRows: CommentsRepository,
    private readonly places: FindingPlaces,
    private readonly commentTrace: CommentTrace,
    private readonly trace: SecondReviewTrace,
  ) {}

  /** @throws AppError forbidden, review_submitted, invalid_argument, too_many_comments, too_much_stored,
   *  workspace_not_ready, workspace_lost */
  async submit(
    { verdict, summary, findings = [] }: SubmitReviewInput,
    principal: Principal,
  ): Promise<SubmittedReviewOutput> {
    await this.open(principal);
    if (findings.length > MAX_FINDINGS)
      throw refusal([{ field: 'findings', message: `findings has at most ${MAX_FINDINGS} items` }]);
    const placed = await this.places.read(principal.attempt!, findings, principal);
    return this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, principal.attempt!);
      const review = await this.open(principal);
      const comment_ids = await this.comment(tx, attempt, placed, summary, principal);
      const submitted = { verdict, summary, comment_ids };
      await this.reviewRows.setSubmitted(tx, review.id, submitted);
      await this.trace.submitted(tx, attempt, { ...review, ...submitted }, principal);
      return { review_id: review.id, verdict, comment_ids };
    });
  }

  /** The review of the calling run. @throws AppError forbidden, review_submitted */
  private async open(principal: Principal): Promise<StandingReview> {
    const run = principal.isReviewer ? await this.executionRows.findLive(principal.attempt!) : null;
    const review = run && `run:${run.id}` === principal.id ? await this.reviewRows.findOfRun(run.id) : null;
    if (review === null) throw new AppError('forbidden', { reason: 'only a review that runs is submitted' });
    if (review.verdict !== null) throw new AppError('review_submitted', { review_id: review.id });
    return review;
  }

  /** @returns their ids. @throws AppError too_many_comments, too_much_stored */
  private async comment(
    tx: Transaction,
    attempt: Attempt,
    placed: readonly PlacedFinding[],
    summary: string,
    principal: Principal,
  ): Promise<string[]> {
    const left = MAX_COMMENTS - (await this.commentRows.count(tx, attempt.id));
    if (placed.length > left)
      throw new AppError('too_many_comments', { attempt_id: attempt.id, most: MAX_COMMENTS, left }, SAY_THE_REST);
    const texts = placed.flatMap(({ path, lines, text }) => [path, lines, text]);
    await this.storage.require(attempt.project_id, principal, textBytes(summary, ...texts));
    const comments = placed.map((finding) => commentOf(attempt, finding, principal));
    const ids = comments.map(({ id }) => id);
    if (ids.length === 0) return ids;
    await this.commentRows.insert(tx, ...comments);
    await this.commentTrace.record(tx, attempt, 'added', ids, principal);
    return ids;
  }
}

const commentOf = (
  { id: attempt_id, project_id }: Attempt,
  finding: PlacedFinding,
  principal: Principal,
): NewComment => ({
  id: newId(),
  attempt_id,
  project_id,
  author: principal.actor.name,
  author_type: 'agent',
  author_id: writerIdOf(principal),
  stored_by: chargedAs(principal),
  ...finding,
});
