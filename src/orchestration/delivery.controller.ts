import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AttemptDeliveryOutput } from '../deliveries/delivery.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  forcePushErrors,
  mergeErrors,
  pushErrors,
  renameErrors,
  targetErrors,
  undoErrors,
  updateErrors,
} from './delivery-refusals.js';
import { MergeAttemptOutput, MergeInput, UndoMergeInput } from './merge-attempt.dto.js';
import { MergeAttemptService } from './merge-attempt.service.js';
import { ForcePushInput, PushAttemptInput, PushAttemptOutput } from './push-attempt.dto.js';
import { PushAttemptService } from './push-attempt.service.js';
import { RenameBranchInput, TargetBranchInput } from './retarget-attempt.dto.js';
import { RetargetAttemptService } from './retarget-attempt.service.js';
import { UndoMergeService } from './undo-merge.service.js';
import {
  AbortUpdateInput,
  RebaseInput,
  UpdateAttemptBranchInput,
  UpdateAttemptBranchOutput,
} from './update-attempt-branch.dto.js';
import { UpdateAttemptBranchService } from './update-attempt-branch.service.js';

/** The verbs that bring the work of an attempt to where it belongs. */
@ApiTags('deliveries')
@Controller('api')
export class DeliveryController {
  constructor(
    private readonly merges: MergeAttemptService,
    private readonly undos: UndoMergeService,
    private readonly updates: UpdateAttemptBranchService,
    private readonly pushes: PushAttemptService,
    private readonly retargeting: RetargetAttemptService,
  ) {}

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/merge',
    summary: 'Merge the work of an attempt into its target branches.',
    scope: 'deliver',
    input: MergeInput,
    example: { strategy: 'squash' },
    output: MergeAttemptOutput,
    errors: mergeErrors,
  })
  mergeAttempt(@Input(MergeInput) input: MergeInput, @Caller() caller: Principal): Promise<MergeAttemptOutput> {
    return this.merges.merge(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/merge/undo',
    summary: 'Put the target branches back to where they were before the merge, while nobody has moved them.',
    scope: 'deliver',
    input: UndoMergeInput,
    example: {},
    output: MergeAttemptOutput,
    errors: undoErrors,
  })
  undoMerge(@Input(UndoMergeInput) input: UndoMergeInput, @Caller() caller: Principal): Promise<MergeAttemptOutput> {
    return this.undos.undo(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/push',
    summary: 'Push the branch of an attempt to its remotes.',
    scope: 'deliver',
    input: PushAttemptInput,
    example: {},
    output: PushAttemptOutput,
    errors: pushErrors,
  })
  pushAttempt(
    @Input(PushAttemptInput) input: PushAttemptInput,
    @Caller() caller: Principal,
  ): Promise<PushAttemptOutput> {
    return this.pushes.push(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/push/force',
    summary: 'Push the branch of an attempt over the commit that its remote has of it.',
    scope: 'deliver',
    input: ForcePushInput,
    output: PushAttemptOutput,
    errors: forcePushErrors,
  })
  forcePushAttempt(
    @Input(ForcePushInput) input: ForcePushInput,
    @Caller() caller: Principal,
  ): Promise<PushAttemptOutput> {
    return this.pushes.push(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/branch/update',
    summary: 'Take the target into the branch of an attempt; continue or abort an update that met a conflict.',
    scope: 'write',
    input: UpdateAttemptBranchInput,
    example: { action: 'start' },
    output: UpdateAttemptBranchOutput,
    errors: updateErrors,
  })
  updateAttemptBranch(
    @Input(UpdateAttemptBranchInput) input: UpdateAttemptBranchInput,
    @Caller() caller: Principal,
  ): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update(input, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/rebase',
    summary: 'Rebase the branch of an attempt on its target.',
    scope: 'write',
    input: RebaseInput,
    example: {},
    output: UpdateAttemptBranchOutput,
    errors: updateErrors,
  })
  rebaseAttempt(
    @Input(RebaseInput) input: RebaseInput,
    @Caller() caller: Principal,
  ): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update({ ...input, action: 'start', method: 'rebase' }, caller);
  }

  @Endpoint({
    method: 'POST',
    path: 'attempts/:attempt_id/conflicts/abort',
    summary: 'Give up an update that met a conflict.',
    scope: 'write',
    input: AbortUpdateInput,
    example: {},
    output: UpdateAttemptBranchOutput,
    errors: updateErrors,
  })
  abortConflicts(
    @Input(AbortUpdateInput) input: AbortUpdateInput,
    @Caller() caller: Principal,
  ): Promise<UpdateAttemptBranchOutput> {
    return this.updates.update({ ...input, action: 'abort' }, caller);
  }

  @Endpoint({
    method: 'PUT',
    path: 'attempts/:attempt_id/branch',
    summary: 'Rename the branch of an attempt.',
    scope: 'write',
    input: RenameBranchInput,
    output: AttemptDeliveryOutput,
    errors: renameErrors,
  })
  renameAttemptBranch(
    @Input(RenameBranchInput) input: RenameBranchInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.retargeting.renameBranch(input, caller);
  }

  @Endpoint({
    method: 'PUT',
    path: 'attempts/:attempt_id/target-branch',
    summary: 'Change the target branch of an attempt, and of its open pull requests.',
    scope: 'write',
    input: TargetBranchInput,
    example: { target_branch: 'main' },
    output: AttemptDeliveryOutput,
    errors: targetErrors,
  })
  setAttemptTarget(
    @Input(TargetBranchInput) input: TargetBranchInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.retargeting.setTarget(input, caller);
  }
}
