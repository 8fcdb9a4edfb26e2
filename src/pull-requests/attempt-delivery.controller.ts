import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import {
  AttemptDeliveryInput,
  AttemptDeliveryOutput,
  RenameBranchInput,
  TargetBranchInput,
} from '../deliveries/delivery.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, type EndpointSpec, Input } from '../platform/rest/endpoint.decorator.js';
import { renameErrors, targetErrors } from '../deliveries/delivery-refusals.js';
import { RetargetAttemptService } from './retarget-attempt.service.js';
import { ViewDeliveryService } from './view-delivery.service.js';

const view = {
  scope: 'read',
  output: AttemptDeliveryOutput,
  errors: ['attempt_not_found', 'repo_not_found', ...worktreeErrors],
} satisfies Omit<EndpointSpec, 'summary'>;

/** Reads the delivery of an attempt and changes its target; both also ask the forge. */
@ApiTags('deliveries')
@Controller('api')
export class AttemptDeliveryController {
  constructor(
    private readonly views: ViewDeliveryService,
    private readonly retargeting: RetargetAttemptService,
  ) {}

  @Endpoint('GET attempts/:attempt_id/delivery', {
    ...view,
    summary: 'Compare an attempt with its target branches and preview the merge.',
  })
  getAttemptDelivery(
    @Input() input: AttemptDeliveryInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.views.get(input, caller);
  }

  @Endpoint('GET attempts/:attempt_id/branch-status', {
    ...view,
    summary: 'Compare an attempt with its target branches; the same as GET …/delivery.',
  })
  getAttemptBranchStatus(
    @Input() input: AttemptDeliveryInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.views.get(input, caller);
  }

  @Endpoint('PUT attempts/:attempt_id/branch', {
    summary: 'Rename the branch of an attempt.',
    scope: 'write',
    output: AttemptDeliveryOutput,
    errors: renameErrors,
  })
  renameAttemptBranch(@Input() input: RenameBranchInput, @Caller() caller: Principal): Promise<AttemptDeliveryOutput> {
    return this.retargeting.renameBranch(input, caller);
  }

  @Endpoint('PUT attempts/:attempt_id/target-branch', {
    summary: 'Change the target branch of an attempt, and of its open pull requests.',
    scope: 'write',
    example: { target_branch: 'main' },
    output: AttemptDeliveryOutput,
    errors: targetErrors,
  })
  setAttemptTarget(@Input() input: TargetBranchInput, @Caller() caller: Principal): Promise<AttemptDeliveryOutput> {
    return this.retargeting.setTarget(input, caller);
  }
}
