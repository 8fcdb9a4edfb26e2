import { Injectable } from '@nestjs/common';
import type { VisibleAttempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { NewComment, StandingComment } from '../comments/comment.entity.js';
import { CommentsRepository } from '../comments/comments.repository.js';
import { ReviewsRepository } from '../comments/reviews.repository.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { chargedAs, type Principal, writerIdOf } from '../platform/access/principal.js';
import { requireCaller, withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { pageLimit } from '../platform/fields/paging.js';
import { StorageLimits, textBytes } from '../storage/storage-limits.service.js';
import {
  type ReviewCommentOutput,
  type CommentTarget,
  type CreateCommentInput,
  type CreatedCommentOutput,
  type DeletedCommentOutput,
  type ListCommentsInput,
  type ListCommentsOutput,
  toCommentOutput,
  type UpdateCommentInput,
} from './comment.dto.js';
import { CommentPlaces, type Quoted } from './comment-places.js';
import { CommentTrace } from './comment-trace.js';

/** Of one attempt, so that whoever opens it reads them all at once. */
export const MAX_COMMENTS = 500;

/** What people say about the work of an attempt. Everybody reads it who reads the attempt; runs write none. */
@Injectable()
export class CommentsService {
  constructor(
    private readonly database: Database,
    private readonly idempotency: IdempotencyService,
    private readonly storage: StorageLimits,
    private readonly attemptRows: AttemptsRepository,
    private readonly commentRows: CommentsRepository,
    private readonly reviewRows: ReviewsRepository,
    private readonly places: CommentPlaces,
    private readonly trace: CommentTrace,
  ) {}

  /** @throws AppError attempt_not_found, not_a_member */
  async list({ attempt_id, limit, cursor }: ListCommentsInput, principal: Principal): Promise<ListCommentsOutput> {
    await this.attemptRows.get(principal, attempt_id);
    const { rows, ...page } = await this.commentRows.list(attempt_id, pageLimit(limit), cursor);
    const review = await this.reviewRows.find(attempt_id, writerIdOf(principal));
    const comments = await this.shown(attempt_id, rows, principal);
    return { attempt_id, ...page, comments, reviewed_at: review?.reviewed_at.toISOString() ?? null };
  }

  /** @throws AppError attempt_not_found, not_a_member, forbidden, file_not_found, invalid_argument, too_many_comments,
   *  too_much_stored, workspace_not_ready, workspace_lost, idempotency_conflict */
  async create({ request_id, ...input }: CreateCommentInput, principal: Principal): Promise<CreatedCommentOutput> {
    requireWriter(principal);
    const request = { operation: 'create_comment', principal, key: request_id, payload: input };
    const earlier = await this.idempotency.findResult<CreatedCommentOutput>(request);
    if (earlier) return earlier;
    const quoted = await this.places.read(input, principal);
    const { project_id } = await this.attemptRows.get(principal, input.attempt_id);
    return this.idempotency.once({ ...request, project_id }, async (tx) => {
      const attempt = await this.attemptRows.lock(tx, principal, input.attempt_id);
      await this.requireRoom(tx, attempt, principal, textBytes(quoted.path, quoted.lines, input.text));
      const comment = newComment(attempt, quoted, input.text, principal);
      await this.commentRows.insert(tx, comment);
      await this.trace.record(tx, attempt, 'added', [comment.id], principal);
      const row = await this.commentRows.lock(tx, attempt.id, comment.id);
      return toCommentOutput(row, { line: row.line, end_line: row.end_line, outdated: false }, true);
    });
  }

  /** @throws AppError attempt_not_found, comment_not_found, not_a_member, forbidden, comment_sent, too_much_stored */
  async edit({ attempt_id, comment_id, text }: UpdateCommentInput, principal: Principal): Promise<ReviewCommentOutput> {
    requireWriter(principal);
    const edited = await this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.get(principal, attempt_id);
      const comment = await this.commentRows.lock(tx, attempt_id, comment_id);
      if (!isOwn(comment, principal)) throw new AppError('forbidden', { reason: 'only its author edits a comment' });
      if (comment.state !== 'open') throw new AppError('comment_sent', { comment_id });
      if (comment.text === text) return comment;
      const grown = textBytes(text) - textBytes(comment.text);
      if (grown > 0) await this.storage.require(attempt.project_id, principal, grown);
      await this.commentRows.setText(tx, comment_id, text);
      await this.trace.record(tx, attempt, 'edited', [comment_id], principal);
      return this.commentRows.lock(tx, attempt_id, comment_id);
    });
    const [shown] = await this.shown(attempt_id, [edited], principal);
    return shown!;
  }

  /** @throws AppError attempt_not_found, comment_not_found, not_a_member, forbidden */
  delete({ attempt_id, comment_id }: CommentTarget, principal: Principal): Promise<DeletedCommentOutput> {
    requireWriter(principal);
    return this.database.transaction(async (tx) => {
      const attempt = await this.attemptRows.get(principal, attempt_id);
      const comment = await this.commentRows.lock(tx, attempt_id, comment_id);
      if (!isOwn(comment, principal)) await this.attemptRows.get(withRight(principal, ofOthers), attempt_id);
      await this.commentRows.delete(tx, comment_id);
      await this.trace.record(tx, attempt, 'deleted', [comment_id], principal);
      return { deleted_comment_id: comment_id };
    });
  }

  private async shown(
    attempt_id: string,
    rows: readonly StandingComment[],
    principal: Principal,
  ): Promise<ReviewCommentOutput[]> {
    const places = await this.places.find(attempt_id, rows, principal);
    return rows.map((row, at) => toCommentOutput(row, places[at]!, isOwn(row, principal)));
  }

  /** @throws AppError too_many_comments, too_much_stored */
  private async requireRoom(
    tx: Transaction,
    { id: attempt_id, project_id }: VisibleAttempt,
    principal: Principal,
    bytes: number,
  ): Promise<void> {
    if ((await this.commentRows.count(tx, attempt_id)) >= MAX_COMMENTS)
      throw new AppError('too_many_comments', { attempt_id, most: MAX_COMMENTS });
    await this.storage.require(project_id, principal, bytes);
  }
}

const requireWriter = (principal: Principal): void => requireCaller(principal, false, 'write comments');
/** What deletes comments of others. */
const ofOthers = rightOf({ scope: 'write', role: 'maintainer' });

const isOwn = ({ author_id }: Pick<NewComment, 'author_id'>, principal: Principal): boolean =>
  author_id === writerIdOf(principal);

const newComment = (
  { id: attempt_id, project_id }: VisibleAttempt,
  quoted: Quoted,
  text: string,
  principal: Principal,
): NewComment => ({
  id: newId(),
  attempt_id,
  project_id,
  author: principal.actor.name,
  author_type: 'human',
  severity: null,
  author_id: writerIdOf(principal),
  stored_by: chargedAs(principal),
  ...quoted,
  text,
});
