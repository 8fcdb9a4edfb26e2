import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeliveriesService } from './deliveries.service.js';
import { ListDeliveriesInput, ListDeliveriesOutput } from './delivery.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { forcePushErrors, mergeErrors, pushErrors, undoErrors, updateErrors } from './delivery-refusals.js';
import { MergeAttemptOutput, OverridableMergeInput, UndoMergeInput } from './merge-attempt.dto.js';
import { MergeAttemptService } from './merge-attempt.service.js';
import { ForcePushInput, OverridablePushInput, PushAttemptOutput } from './push-attempt.dto.js';
import { PushAttemptService } from './push-attempt.service.js';
import { UndoMergeService } from './undo-merge.service.js';
import {
  AbortUpdateInput,
  RebaseInput,
  UpdateAttemptBranchInput,
  UpdateAttemptBranchOutput,
} from './update-attempt-branch.dto.js';
import { UpdateAttemptBranchService } from './update-attempt-branch.service.js';

/** The verbs that deliver the work of an attempt. */
@ApiTags('deliveries')
@Controller('api')
export class DeliveriesController {
  constructor(
    private readonly merges: MergeAttemptService,
    private readonly undos: UndoMergeService,
    private readonly updates: UpdateAttemptBranchService,
    private readonly pushes: PushAttemptService,
    private readonly deliveries: DeliveriesService,
  ) {}

  @Endpoint('POST attempts/:attempt_id/merge', {
    summary: 'Merge the work of an attempt into its target branches.',
    scope: 'deliver',
    example: { strategy: 'squash' },
    output: MergeAttemptOutput,
    errors: mergeErrors,
  })
  mergeAttempt(@Input() input: OverridableMergeInput, @Caller() caller: Principal): Promise<MergeAttemptOutput> {
    return this.merges.merge(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/merge/undo', {
    summary: 'Undo a merge: reset the target branches, if nobody has moved them since.',
    scope: 'deliver',
    example: {},
    output: MergeAttemptOutput,
    errors: undoErrors,
  })
  undoMerge(@Input() input: UndoMergeInput, @Caller() caller: Principal): Promise<MergeAttemptOutput> {
    return this.undos.undo(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/push', {
    summary: 'Push the branch of an attempt to its remotes.',
    scope: 'deliver',
    example: {},
    output: PushAttemptOutput,
    errors: pushErrors,
  })
  pushAttempt(@Input() input: OverridablePushInput, @Caller() caller: Principal): Promise<PushAttemptOutput> {
    return this.pushes.push(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/push/force', {
    summary: 'Push the branch of an attempt, replacing the commit that its remote holds.',
    scope: 'deliver',
    output: PushAttemptOutput,
    errors: forcePushErrors,
  })
  forcePushAttempt(@Input() input: ForcePushInput, @Caller() caller: Principal): Promise<PushAttemptOutput> {
    return this.pushes.push(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/branch/update', {
    summary: 'Bring the target into the branch of an attempt; continue or abort an update with conflicts.',
    scope: 'write',
    example: { action: 'start' },
    output: UpdateAttemptBranchOutput,
    errors: updateErrors,
  })
  updateAttemptBranch(
    @Input() input: UpdateAttemptBranchInput,
    @Caller() caller: Principal,
  ): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update(input, caller);
  }

  @Endpoint('POST attempts/:attempt_id/rebase', {
    summary: 'Rebase the branch of an attempt on its target.',
    scope: 'write',
    example: {},
    output: UpdateAttemptBranchOutput,
    errors: updateErrors,
  })
  rebaseAttempt(@Input() input: RebaseInput, @Caller() caller: Principal): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update({ ...input, action: 'start', method: 'rebase' }, caller);
  }

  @Endpoint('POST attempts/:attempt_id/conflicts/abort', {
    summary: 'Abort an update with conflicts.',
    scope: 'write',
    example: {},
    output: UpdateAttemptBranchOutput,
    errors: updateErrors,
  })
  abortConflicts(@Input() input: AbortUpdateInput, @Caller() caller: Principal): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update({ ...input, action: 'abort' }, caller);
  }

  @Endpoint('GET projects/:project_id/deliveries', {
    summary: 'List the deliveries of a project, newest first.',
    scope: 'read',
    output: ListDeliveriesOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  listDeliveries(@Input() input: ListDeliveriesInput, @Caller() caller: Principal): Promise<ListDeliveriesOutput> {
    return this.deliveries.list(input, caller);
  }
}
