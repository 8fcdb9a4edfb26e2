import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ResolveCommentsInput, ResolveCommentsOutput } from '../deliveries/pull-request.dto.js';
import type { Principal } from '../platform/access/principal.js';
import type { ErrorCode } from '../platform/errors/error-catalogue.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { forgeErrors } from '../deliveries/delivery-refusals.js';
import { CommentsInput, GetPullRequestOutput } from './pull-request.dto.js';
import { ResolveCommentsService } from '../deliveries/resolve-comments.service.js';
import { ViewPullRequestService } from './view-pull-request.service.js';

const readErrors: ErrorCode[] = ['attempt_not_found', 'repo_not_found', 'pull_request_not_found', 'forge_unconfigured'];

/** Reviews, comments and checks of pull requests. */
@ApiTags('deliveries')
@Controller('api')
export class PullRequestReviewController {
  constructor(
    private readonly views: ViewPullRequestService,
    private readonly resolving: ResolveCommentsService,
  ) {}

  @Endpoint('GET attempts/:attempt_id/pull-request', {
    summary: 'Get the pull requests of an attempt: state, checks, reviews and comments.',
    scope: 'read',
    output: GetPullRequestOutput,
    errors: readErrors,
  })
  getPullRequest(@Input() input: CommentsInput, @Caller() caller: Principal): Promise<GetPullRequestOutput> {
    return this.views.get(input, caller);
  }

  @Endpoint('GET attempts/:attempt_id/pull-request/comments', {
    summary: 'Get the comments on the pull requests of an attempt.',
    scope: 'read',
    output: GetPullRequestOutput,
    errors: readErrors,
  })
  getPullRequestComments(@Input() input: CommentsInput, @Caller() caller: Principal): Promise<GetPullRequestOutput> {
    return this.views.get({ ...input, include: ['comments'] }, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pull-request/comments/resolve', {
    summary: 'Mark comments of reviewers as resolved.',
    scope: 'deliver',
    output: ResolveCommentsOutput,
    errors: ['attempt_not_found', 'not_a_member', 'forbidden', 'comment_not_found', ...forgeErrors],
  })
  resolvePullRequestComments(
    @Input() input: ResolveCommentsInput,
    @Caller() caller: Principal,
  ): Promise<ResolveCommentsOutput> {
    return this.resolving.resolve(input, caller);
  }

  @Endpoint('GET attempts/:attempt_id/pr/comments', {
    summary: 'Get the comments; the same as GET …/pull-request/comments.',
    scope: 'read',
    output: GetPullRequestOutput,
    errors: readErrors,
  })
  getPrComments(@Input() input: CommentsInput, @Caller() caller: Principal): Promise<GetPullRequestOutput> {
    return this.views.get({ ...input, include: ['comments'] }, caller);
  }
}
