import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ChangePullRequestService } from './change-pull-request.service.js';
import {
  attachErrors,
  changePullRequestErrors,
  closePullRequestErrors,
  mergePullRequestErrors,
  openErrors,
} from '../deliveries/delivery-refusals.js';
import { MergePullRequestService } from './merge-pull-request.service.js';
import { OpenPullRequestService } from './open-pull-request.service.js';
import {
  AttachPullRequestInput,
  ClosePullRequestInput,
  MergePullRequestFields,
  MergePullRequestOutput,
  NewPullRequestInput,
  OverridableOpenInput,
  OpenPullRequestOutput,
  QueuePullRequestInput,
} from './pull-request.dto.js';

/** Pull requests of attempts: opened, changed, merged and closed on their forge. */
@ApiTags('deliveries')
@Controller('api')
export class PullRequestController {
  constructor(
    private readonly opening: OpenPullRequestService,
    private readonly changes: ChangePullRequestService,
    private readonly merges: MergePullRequestService,
  ) {}

  @Endpoint('POST attempts/:attempt_id/pull-request', {
    summary: 'Push the branch of an attempt and open a pull request, or return the one that is open.',
    scope: 'deliver',
    example: { draft: false },
    output: OpenPullRequestOutput,
    errors: openErrors,
  })
  openPullRequest(@Input() input: OverridableOpenInput, @Caller() caller: Principal): Promise<OpenPullRequestOutput> {
    return this.opening.open(input, caller);
  }

  @Endpoint('PATCH attempts/:attempt_id/pull-request', {
    summary: 'Change title, description or draft of a pull request.',
    scope: 'deliver',
    example: { title: 'Add a health check' },
    output: OpenPullRequestOutput,
    errors: changePullRequestErrors,
  })
  changePullRequest(@Input() input: NewPullRequestInput, @Caller() caller: Principal): Promise<OpenPullRequestOutput> {
    return this.changes.update(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pull-request/attach', {
    summary: 'Attach a pull request that was opened elsewhere; its head has to be the commit of the branch.',
    scope: 'deliver',
    output: OpenPullRequestOutput,
    errors: attachErrors,
  })
  attachPullRequest(
    @Input() input: AttachPullRequestInput,
    @Caller() caller: Principal,
  ): Promise<OpenPullRequestOutput> {
    return this.changes.attach(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pull-request/merge', {
    summary: 'Merge a pull request if it is still at the expected head.',
    scope: 'deliver',
    output: MergePullRequestOutput,
    errors: mergePullRequestErrors,
  })
  mergePullRequest(
    @Input() input: MergePullRequestFields,
    @Caller() caller: Principal,
  ): Promise<MergePullRequestOutput> {
    return this.merges.merge({ ...input, action: 'merge' }, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pull-request/queue', {
    summary: 'Put a pull request into the merge queue of its forge.',
    scope: 'deliver',
    output: MergePullRequestOutput,
    errors: mergePullRequestErrors,
  })
  queuePullRequest(
    @Input() input: QueuePullRequestInput,
    @Caller() caller: Principal,
  ): Promise<MergePullRequestOutput> {
    return this.merges.merge({ ...input, action: 'queue' }, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pull-request/close', {
    summary: 'Close a pull request without a merge.',
    scope: 'deliver',
    example: {},
    output: MergePullRequestOutput,
    errors: closePullRequestErrors,
  })
  closePullRequest(
    @Input() input: ClosePullRequestInput,
    @Caller() caller: Principal,
  ): Promise<MergePullRequestOutput> {
    return this.merges.merge({ ...input, action: 'close' }, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pr', {
    summary: 'Open a pull request; the same as POST …/pull-request.',
    scope: 'deliver',
    example: { draft: false },
    output: OpenPullRequestOutput,
    errors: openErrors,
  })
  openPr(@Input() input: OverridableOpenInput, @Caller() caller: Principal): Promise<OpenPullRequestOutput> {
    return this.opening.open(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/pr/attach', {
    summary: 'Attach a pull request; the same as POST …/pull-request/attach.',
    scope: 'deliver',
    output: OpenPullRequestOutput,
    errors: attachErrors,
  })
  attachPr(@Input() input: AttachPullRequestInput, @Caller() caller: Principal): Promise<OpenPullRequestOutput> {
    return this.changes.attach(input, caller);
  }
}
