import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { Sending, StandingComment } from '../comments/comment.entity.js';
import { CommentsRepository } from '../comments/comments.repository.js';
import { ReviewsRepository } from '../comments/reviews.repository.js';
import { type Principal, writerIdOf } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Mark } from '../workspaces/artifact-host.js';
import type { CommentPlace } from './comment.dto.js';
import { CommentPlaces } from './comment-places.js';
import { CommentTrace } from './comment-trace.js';

/** A comment as it stands when it is put into words for an agent. */
export type SentComment = StandingComment & CommentPlace;

/** Comments on their way to an agent, and what the worktrees held when they were read. */
export interface Outgoing {
  comments: SentComment[];
  /** Null while the work cannot be read, and for no comments. */
  marks: Mark[] | null;
}

@Injectable()
export class SentComments {
  constructor(
    private readonly commentRows: CommentsRepository,
    private readonly reviewRows: ReviewsRepository,
    private readonly places: CommentPlaces,
    private readonly trace: CommentTrace,
  ) {}

  /** Those of the ids that are comments of the attempt, in the order of its changes. @throws AppError comment_sent */
  async read(attempt_id: string, ids: readonly string[], principal: Principal): Promise<Outgoing> {
    const rows = await this.commentRows.listByIds(attempt_id, ids);
    rows.forEach(requireUnsent);
    const places = await this.places.find(attempt_id, rows, principal);
    const marks = rows.length === 0 ? null : await this.places.mark(attempt_id, principal);
    return { comments: rows.map((row, at) => ({ ...row, ...places[at]! })), marks };
  }

  /** Marks them in the transaction that sends them, so that nothing is sent twice, nor otherwise than it is shown.
   *  @throws AppError comment_not_found, comment_sent, comment_changed */
  async send(
    tx: Transaction,
    attempt: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    { comments, marks }: Outgoing,
    sending: Sending,
    principal: Principal,
  ): Promise<void> {
    if (comments.length === 0) return;
    for (const { id: comment_id, updated_at } of comments) {
      const now = await this.commentRows.lock(tx, attempt.id, comment_id);
      requireUnsent(now);
      if (now.updated_at.getTime() !== updated_at.getTime()) throw new AppError('comment_changed', { comment_id });
    }
    const ids = comments.map(({ id }) => id);
    await this.commentRows.setSent(tx, ids, sending);
    if (marks !== null) await this.reviewRows.put(tx, attempt.id, writerIdOf(principal), marks);
    await this.trace.record(tx, attempt, 'sent', ids, principal);
  }
}

/** An answered one may be sent again. @throws AppError comment_sent */
function requireUnsent({ id: comment_id, state }: StandingComment): void {
  if (state === 'sent') throw new AppError('comment_sent', { comment_id });
}
