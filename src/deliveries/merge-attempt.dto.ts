import { WaitField } from '../platform/fields/paging.js';
import { ReplayedField } from '../idempotency/idempotency.dto.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { CommitField } from './conflict.dto.js';
import { OverrideField, type OverrideInput } from './override.dto.js';
import { AllowFailedField, ExpectedContentField, ExpectedHeadField } from './reviewed-work.dto.js';
import {
  BoolField,
  EnumField,
  ListField,
  ObjectField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';
import { ErrorEnvelope } from '../platform/errors/error-envelope.js';
import type { NestedRefusal } from '../platform/errors/nested-refusal.js';
import { refusal } from '../platform/fields/input-errors.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates, RequestIdField } from '../tasks/task.dto.js';
import { type MergeStrategy, mergeStrategies } from '../workspaces/delivery-host.js';

export const checkedOutChoices = ['refuse', 'update'] as const;
export const mergeActions = ['merge', 'undo'] as const;
const mergeStatuses = [
  'landed',
  'would_land',
  'already_delivered',
  'nothing_to_deliver',
  'conflict',
  'failed',
  'undone',
] as const;
export type MergeStatus = (typeof mergeStatuses)[number];

const RepoIdsField = () =>
  TextListField('Only these repositories.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000001'],
  });
const CheckedOutField = () =>
  EnumField('Where the target is checked out: refuse, or update it if clean. Default refuse.', checkedOutChoices, {
    optional: true,
    default: 'refuse',
    example: 'refuse',
  });

export class UndoMergeInput extends AttemptTarget {
  @RepoIdsField() repo_ids?: string[];
  @CheckedOutField() checked_out?: (typeof checkedOutChoices)[number];
  @RequestIdField() request_id?: string;
}

export class MergeInput extends UndoMergeInput {
  @EnumField('squash, merge, ff or rebase. Default squash.', mergeStrategies, {
    optional: true,
    default: 'squash',
    example: 'squash',
  })
  strategy?: MergeStrategy;
  @TextField('Commit message. Default: from the task.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Add a health check',
  })
  message?: string;
  @ExpectedHeadField() expected_head?: string;
  @ExpectedContentField() expected_content?: string;
  @AllowFailedField() allow_failed?: boolean;
  @BoolField('True only tells what a merge would do.', {
    optional: true,
    default: false,
    example: false,
  })
  dry_run?: boolean;
  @WaitField('while the attempt runs.')
  wait_ms?: number;
}

/** What REST takes for a merge. */
export class OverridableMergeInput extends MergeInput {
  @OverrideField() override?: OverrideInput;
}

export class MergeAttemptInput extends MergeInput {
  @EnumField('merge, or undo: resets the target, if it has not moved since. Default merge.', mergeActions, {
    optional: true,
    default: 'merge',
    example: 'merge',
  })
  action?: (typeof mergeActions)[number];
}

export class RepoMergeOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @EnumField(`What was done: one of ${mergeStatuses.join(', ')}; would_land only in a dry run.`, mergeStatuses, {
    example: 'landed',
  })
  status!: MergeStatus;
  @EnumField(`Strategy of the merge: one of ${mergeStrategies.join(', ')}; null for an undo.`, mergeStrategies, {
    nullable: true,
    example: 'squash',
  })
  strategy!: MergeStrategy | null;
  @CommitField('Commit the target is at now, or null if nothing landed.', { nullable: true }) commit!: string | null;
  @CommitField('Commit the target was at before, or null if it is gone.', { nullable: true }) target_before!:
    string | null;
  @ObjectField('Why it did not land, or null.', () => ErrorEnvelope, { nullable: true, example: null })
  error!: NestedRefusal | null;
}

export class MergeAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(`Delivery state of the attempt: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'merged' })
  state!: DeliveryState;
  @BoolField('True if nothing was done.', { example: false }) dry_run!: boolean;
  @ListField('The repositories, in the order of the attempt.', () => RepoMergeOutput) repos!: RepoMergeOutput[];
  @ReplayedField() replayed?: boolean;
}

/** @throws AppError invalid_argument if a field is only for merges */
export function undoInputOf(all: MergeInput): UndoMergeInput {
  const { strategy, message, expected_head, expected_content, allow_failed, dry_run, wait_ms, ...input } = all;
  const merge = { strategy, message, expected_head, expected_content, allow_failed, dry_run, wait_ms };
  const given = Object.entries(merge).filter(([, value]) => value !== undefined);
  if (given.length > 0)
    throw refusal(given.map(([field]) => ({ field, message: `${field} is not allowed when action=undo` })));
  return input;
}
