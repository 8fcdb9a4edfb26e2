import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { type PlacedComment, PullRequestCommentsRepository } from './pull-request-comments.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import type { Principal } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/rights.js';
import { Database } from '../platform/database/database.js';
import type { ResolveCommentsInput, ResolveCommentsOutput, ResolvedCommentOutput } from './pull-request.dto.js';

/** Resolves threads of reviewers, once the push that answers them has landed. */
@Injectable()
export class ResolveCommentsService {
  constructor(
    private readonly database: Database,
    private readonly forges: ForgesService,
    private readonly audit: AuditService,
    private readonly attemptRows: AttemptsRepository,
    private readonly commentRows: PullRequestCommentsRepository,
  ) {}

  /** Repeatable: resolved threads stay resolved and get no second reply.
   *  @throws AppError attempt_not_found, comment_not_found, forbidden, forge_unconfigured, forge_failed,
   *  forge_rate_limited, forge_auth_failed */
  async resolve(
    { attempt_id, comment_ids, reply }: ResolveCommentsInput,
    principal: Principal,
  ): Promise<ResolveCommentsOutput> {
    requireCaller(principal, false, 'resolve comments of reviewers');
    const attempt = await this.attemptRows.get(principal, attempt_id);
    return this.resolveAll(attempt, comment_ids, reply ?? null, principal);
  }

  /** @throws AppError forge_unconfigured, comment_not_found */
  async requireKnown(attempt_id: string, comment_ids: readonly string[]): Promise<void> {
    if (comment_ids.length === 0) return;
    this.forges.requireAny();
    await this.commentRows.getAll(attempt_id, comment_ids);
  }

  /** The caller has checked the rights.
   *  @throws AppError comment_not_found, forge_unconfigured, forge_failed, forge_rate_limited, forge_auth_failed */
  async resolveAll(
    { id: attempt_id, task_id, project_id }: Pick<Attempt, 'id' | 'task_id' | 'project_id'>,
    comment_ids: readonly string[],
    reply: string | null,
    principal: Principal,
  ): Promise<ResolveCommentsOutput> {
    const threads = new Set<string>();
    const comments: ResolvedCommentOutput[] = [];
    for (const comment of await this.commentRows.getAll(attempt_id, comment_ids)) {
      const thread = `${comment.pull_request_id} ${comment.thread_id}`;
      const isDone = comment.resolved || threads.has(thread);
      const status = isDone ? 'already_resolved' : await this.resolveOne(comment, reply);
      comments.push({ comment_id: comment.id, status });
      if (status !== 'resolved') continue;
      threads.add(thread);
      await this.database.transaction(async (tx) => {
        await this.commentRows.markResolved(tx, comment.pull_request_id, comment.thread_id!);
        await this.audit.record(tx, principal, {
          entity_type: 'delivery',
          entity_id: comment.pull_request_id,
          task_id,
          project_id,
          action: 'comment_resolved',
          details: { attempt_id, comment_id: comment.id, author: comment.author, url: comment.url },
        });
      });
    }
    return { attempt_id, comments };
  }

  private async resolveOne(
    { thread_id, forge_id, forge_host, forge_repository, pr_number }: PlacedComment,
    reply: string | null,
  ): Promise<ResolvedCommentOutput['status']> {
    const forge = this.forges.get(forge_host);
    if (thread_id === null || !forge.capabilities.resolves_comments) return 'not_resolvable';
    await forge.resolve(forge_repository, pr_number, { thread_id, forge_id, reply });
    return 'resolved';
  }
}
