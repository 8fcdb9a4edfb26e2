import { Injectable } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { CommentPrompt } from './comment-prompt.js';
import type { FollowUpInput } from './follow-up.dto.js';
import { ResolvePrompt } from './resolve-prompt.js';

/** What the agent reads: conflicts that stand, comments of reviewers, and what the caller adds to them. */
@Injectable()
export class FollowUpPrompt {
  constructor(
    private readonly resolutions: ResolvePrompt,
    private readonly comments: CommentPrompt,
  ) {}

  /** @throws AppError no_operation, comment_not_found, forbidden, workspace_lost */
  async make(
    attempt_id: string,
    { resolve, comment_ids, include_untrusted, prompt }: Partial<FollowUpInput>,
    principal: Principal,
  ): Promise<string> {
    const parts = [
      ...(resolve ? [await this.resolutions.make(attempt_id, principal)] : []),
      ...(comment_ids ? [await this.comments.make(attempt_id, comment_ids, include_untrusted === true)] : []),
      ...(prompt ? [prompt] : []),
    ];
    return parts.join('\n\n');
  }
}
