import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  ReviewCommentOutput,
  CommentTarget,
  CreateCommentInput,
  CreatedCommentOutput,
  DeletedCommentOutput,
  ListCommentsInput,
  ListCommentsOutput,
  UpdateCommentInput,
} from './comment.dto.js';
import { CommentsService } from './comments.service.js';

@ApiTags('attempts')
@Controller('api')
export class CommentsController {
  constructor(private readonly comments: CommentsService) {}

  @Endpoint('GET attempts/:attempt_id/comments', {
    summary: 'List what was said about lines of the changes, oldest first.',
    scope: 'read',
    output: ListCommentsOutput,
    errors: ['attempt_not_found'],
  })
  listComments(@Input() input: ListCommentsInput, @Caller() caller: Principal): Promise<ListCommentsOutput> {
    return this.comments.list(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/comments', {
    summary: 'Comment on lines of the changes; follow_up sends comments to the agent.',
    scope: 'write',
    status: 201,
    location: '/api/attempts/{attempt_id}/comments',
    output: CreatedCommentOutput,
    errors: ['attempt_not_found', 'file_not_found', 'too_many_comments', 'too_much_stored', ...worktreeErrors],
  })
  createComment(@Input() input: CreateCommentInput, @Caller() caller: Principal): Promise<CreatedCommentOutput> {
    return this.comments.create(input, caller);
  }

  @Endpoint('PATCH attempts/:attempt_id/comments/:comment_id', {
    summary: 'Edit a comment of your own that was not sent yet.',
    scope: 'write',
    output: ReviewCommentOutput,
    errors: ['attempt_not_found', 'comment_not_found', 'forbidden', 'comment_sent', 'too_much_stored'],
  })
  updateComment(@Input() input: UpdateCommentInput, @Caller() caller: Principal): Promise<ReviewCommentOutput> {
    return this.comments.edit(input, caller);
  }

  @Endpoint('DELETE attempts/:attempt_id/comments/:comment_id', {
    summary: 'Delete a comment: its author, or a maintainer.',
    scope: 'write',
    output: DeletedCommentOutput,
    errors: ['attempt_not_found', 'comment_not_found', 'forbidden'],
  })
  deleteComment(@Input() input: CommentTarget, @Caller() caller: Principal): Promise<DeletedCommentOutput> {
    return this.comments.delete(input, caller);
  }
}
