import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { forgeErrors } from './delivery-refusals.js';
import {
  CommentsInput,
  GetPullRequestOutput,
  ResolveCommentsInput,
  ResolveCommentsOutput,
} from './pull-request.dto.js';
import { ResolveCommentsService } from './resolve-comments.service.js';
import { ViewPullRequestService } from './view-pull-request.service.js';

const readErrors: ErrorCode[] = ['attempt_not_found', 'repo_not_found', 'pull_request_not_found'];

/** What reviewers and checks say of pull requests, and what was done about it. */
@ApiTags('deliveries')
@Controller('api')
export class PullRequestReviewController {
  constructor(
    private readonly views: ViewPullRequestService,
    private readonly resolving: ResolveCommentsService,
  ) {}

  @Endpoint({
    method: 'GET',
    path: 'attempts/:attempt_id/pull-request',
    summary: 'Get the pull requests of an attempt: state, checks, reviews and comments.',
    scope: 'read',
    input: CommentsInput,
    output: GetPullRequestOutput,
    errors: readErrors,
  })
  getPullRequest(
    @Input(CommentsInput) input: CommentsInput,
    @Caller() caller: Principal,
  ): Promise<GetPullRequestOutput> {
    return this.views.get(input, caller);
  }

  @Endpoint({
    method: 'GET',
    path: 'attempts/:attempt_id/pull-request/comments',
    summary: 'Get the comments on the pull requests of an attempt.',
    scope: 'read',
    input: CommentsInput,
    output: GetPullRequestOutput,
    errors: readErrors,
  })
  getPullRequestComments(
    @Input(CommentsInput) input: CommentsInput,
    @Caller() caller: Principal,
  ): Promise<GetPullRequestOutput> {
    return this.views.get({ ...input, include: ['comments'] }, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/pull-request/comments/resolve',
    summary: 'Mark comments of reviewers as resolved.',
    scope: 'deliver',
    input: ResolveCommentsInput,
    output: ResolveCommentsOutput,
    errors: ['attempt_not_found', 'not_a_member', 'forbidden', 'comment_not_found', ...forgeErrors],
  })
  resolvePullRequestComments(
    @Input(ResolveCommentsInput) input: ResolveCommentsInput,
    @Caller() caller: Principal,
  ): Promise<ResolveCommentsOutput> {
    return this.resolving.resolve(input, caller);
  }

  @Endpoint({
    method: 'GET',
    path: 'attempts/:attempt_id/pr/comments',
    summary: 'Get the comments; the same as GET …/pull-request/comments.',
    scope: 'read',
    input: CommentsInput,
    output: GetPullRequestOutput,
    errors: readErrors,
  })
  getPrComments(
    @Input(CommentsInput) input: CommentsInput,
    @Caller() caller: Principal,
  ): Promise<GetPullRequestOutput> {
    return this.views.get({ ...input, include: ['comments'] }, caller);
  }
}
