import { AttemptTarget } from '../attempts/attempt.dto.js';
import { CommitField } from '../deliveries/conflict.dto.js';
import { RemoteBranchOutput, RepoChoice } from '../deliveries/delivery.dto.js';
import { EnumField, ListField, ObjectField, TextField, UuidField } from '../platform/fields/fields.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates, RequestIdField } from '../tasks/task.dto.js';
import { MergeErrorOutput } from './merge-attempt.dto.js';

export const pushStatuses = ['pushed', 'up_to_date', 'nothing_to_deliver', 'failed'] as const;

export class OverwriteInput {
  @TextField('Commit the branch is at there, from the refusal; nothing else is replaced.', {
    nonBlank: true,
    maxLength: 64,
    example: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  })
  remote_commit!: string;
}

const OVERWRITE = { example: { remote_commit: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b' } };

export class PushAttemptInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @ObjectField(
    'Replace what the branch holds on the remote, if it still is at this commit. Default: nothing is lost there.',
    () => OverwriteInput,
    { optional: true, ...OVERWRITE },
  )
  overwrite?: OverwriteInput;
  @RequestIdField() request_id?: string;
}

/** The ancestor's word for a push that replaces. */
export class ForcePushInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @ObjectField('Replace what the branch holds on the remote, if it still is at this commit.', () => OverwriteInput, {
    ...OVERWRITE,
  })
  overwrite!: OverwriteInput;
  @RequestIdField() request_id?: string;
}

export class RepoPushOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @EnumField(`What was done: one of ${pushStatuses.join(', ')}.`, pushStatuses, { example: 'pushed' })
  status!: (typeof pushStatuses)[number];
  @CommitField('Commit the branch is at here.') head!: string;
  @ObjectField('The branch on its remote, or null if nothing was pushed.', () => RemoteBranchOutput, {
    nullable: true,
  })
  remote!: RemoteBranchOutput | null;
  @ObjectField('Why it was not pushed, or null.', () => MergeErrorOutput, { nullable: true, example: null })
  error!: MergeErrorOutput | null;
}

export class PushAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(`Delivery state of the attempt: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'pushed' })
  state!: DeliveryState;
  @ListField('The repositories, in the order of the attempt.', () => RepoPushOutput) repos!: RepoPushOutput[];
}
