import { ErrorEnvelope } from '../platform/errors/error-envelope.js';
import type { NestedRefusal } from '../platform/errors/nested-refusal.js';
import { ReplayedField } from '../idempotency/idempotency.dto.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { CommitField } from './conflict.dto.js';
import { RemoteBranchOutput, RepoChoice } from './delivery.dto.js';
import { EnumField, ListField, ObjectField, TextField, UuidField, UuidListField } from '../platform/fields/fields.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates, RequestIdField } from '../tasks/task.dto.js';
import { OverrideField, type OverrideInput } from './override.dto.js';
import { AllowFailedField, ExpectedContentField, ExpectedHeadField } from './reviewed-work.dto.js';
import { ResolvedCommentOutput } from './pull-request.dto.js';

export const pushStatuses = ['pushed', 'up_to_date', 'nothing_to_deliver', 'failed'] as const;

export class OverwriteInput {
  @TextField('From the refusal.', {
    nonBlank: true,
    maxLength: 64,
    example: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  })
  remote_commit!: string;
}

const OVERWRITE = { example: { remote_commit: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b' } };

export class PushAttemptInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @ObjectField('Replaces what the remote branch holds, if it is still this.', () => OverwriteInput, {
    optional: true,
    ...OVERWRITE,
  })
  overwrite?: OverwriteInput;
  @UuidListField('Comments (UUIDs) to resolve once the push has landed.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000011'],
  })
  resolve_comments?: string[];
  @ExpectedHeadField() expected_head?: string;
  @ExpectedContentField() expected_content?: string;
  @AllowFailedField() allow_failed?: boolean;
  @RequestIdField() request_id?: string;
}

/** What REST takes for a push. */
export class OverridablePushInput extends PushAttemptInput {
  @OverrideField() override?: OverrideInput;
}

/** Input of the route for a push that replaces. */
export class ForcePushInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @ObjectField(
    'Replace what the remote branch holds, if it is still at this commit. Default: the commit last pushed from here.',
    () => OverwriteInput,
    { optional: true, ...OVERWRITE },
  )
  overwrite?: OverwriteInput;
  @ExpectedHeadField() expected_head?: string;
  @ExpectedContentField() expected_content?: string;
  @AllowFailedField() allow_failed?: boolean;
  @OverrideField() override?: OverrideInput;
  @RequestIdField() request_id?: string;
}

export class RepoPushOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @EnumField(`What was done: one of ${pushStatuses.join(', ')}.`, pushStatuses, { example: 'pushed' })
  status!: (typeof pushStatuses)[number];
  @CommitField('Commit of the branch of the attempt.') head!: string;
  @ObjectField('The branch on its remote, or null if nothing was pushed.', () => RemoteBranchOutput, {
    nullable: true,
  })
  remote!: RemoteBranchOutput | null;
  @ObjectField('Why it was not pushed, or null.', () => ErrorEnvelope, { nullable: true, example: null })
  error!: NestedRefusal | null;
}

export class PushAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(`Delivery state of the attempt: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'pushed' })
  state!: DeliveryState;
  @ListField('The repositories, in the order of the attempt.', () => RepoPushOutput) repos!: RepoPushOutput[];
  @ListField('The comments that were to be resolved, in the order they were written.', () => ResolvedCommentOutput)
  comments!: ResolvedCommentOutput[];
  @ReplayedField() replayed?: boolean;
}
