import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ReadyWorkspaces } from '../attempts/ready-workspaces.js';
import { ConflictPrompt } from '../deliveries/conflict-prompt.js';
import { type PlacedComment, PullRequestCommentsRepository } from '../deliveries/pull-request-comments.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { type Outgoing, type SentComment, SentComments } from '../review/sent-comments.service.js';
import { ofForge, ofReview, quoteAll } from '../review/comment-quotes.js';
import type { FollowUpInput } from './work.dto.js';

/** What an agent is sent. */
export interface Composed {
  prompt: string;
  /** Comments of people that are quoted in it. */
  review: Outgoing;
}

/** The text for the agent: conflicts in its worktrees, comments, and what the caller adds. */
@Injectable()
export class FollowUpPrompt {
  constructor(
    private readonly conflicts: ConflictPrompt,
    private readonly workspaces: ReadyWorkspaces,
    private readonly attemptRows: AttemptsRepository,
    private readonly comments: SentComments,
    private readonly forgeRows: PullRequestCommentsRepository,
  ) {}

  /** @throws AppError no_operation, comment_not_found, comment_sent, forbidden, workspace_lost */
  async make(
    attempt_id: string,
    { resolve, comment_ids = [], include_untrusted = false, prompt }: Partial<FollowUpInput>,
    principal: Principal,
  ): Promise<Composed> {
    const review = await this.comments.read(attempt_id, comment_ids, principal);
    const { comments } = review;
    const others = comment_ids.filter((id) => !comments.some((comment) => comment.id === id));
    const parts = [
      ...(resolve ? [await this.conflicts.make(await this.workspaces.ready(attempt_id, principal))] : []),
      ...(comment_ids.length > 0 ? [await this.quote(attempt_id, comments, others, include_untrusted)] : []),
      ...(prompt ? [prompt] : []),
    ];
    return { prompt: parts.join('\n\n'), review };
  }

  private async quote(
    attempt_id: string,
    comments: readonly SentComment[],
    others: readonly string[],
    includeUntrusted: boolean,
  ): Promise<string> {
    const ofReviewers = others.length === 0 ? [] : await this.forgeRows.getAll(attempt_id, others);
    if (!includeUntrusted) requireTrusted(ofReviewers);
    const repos = await this.attemptRows.listRepos(attempt_id);
    const nameOf = new Map(repos.map(({ repo_id, repo_name }) => [repo_id, repo_name]));
    return quoteAll([
      ...comments.map(ofReview),
      ...ofReviewers.map((comment) => ofForge(comment, nameOf.get(comment.repo_id) ?? '')),
    ]);
  }
}

/** @throws AppError forbidden for an author who may not write to the repository */
function requireTrusted(comments: readonly PlacedComment[]): void {
  const stranger = comments.find(({ trusted }) => !trusted);
  if (stranger)
    throw new AppError(
      'forbidden',
      { reason: `a comment is by ${JSON.stringify(stranger.author)}, who may not write to the repository` },
      'Read it with {next:get_pull_request}; leave it out, or pass include_untrusted=true if you answer for it.',
    );
}
