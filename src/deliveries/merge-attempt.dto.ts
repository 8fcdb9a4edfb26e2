import { AttemptTarget } from '../attempts/attempt.dto.js';
import { CommitField } from './conflict.dto.js';
import {
  BoolField,
  EnumField,
  ListField,
  ObjectField,
  RecordField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';
import { refusal } from '../platform/fields/input-errors.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates, RequestIdField } from '../tasks/task.dto.js';
import { type MergeStrategy, mergeStrategies } from '../workspaces/delivery-host.js';

export const checkedOutChoices = ['refuse', 'update'] as const;
export const mergeActions = ['merge', 'undo'] as const;
const mergeStatuses = ['landed', 'already_delivered', 'nothing_to_deliver', 'conflict', 'failed', 'undone'] as const;
export type MergeStatus = (typeof mergeStatuses)[number];

const RepoIdsField = () =>
  TextListField('Only these repositories of the attempt (UUIDs). Default: all of them.', {
    optional: true,
    minItems: 1,
    example: ['0198c0de-0000-7000-8000-000000000001'],
  });
const CheckedOutField = () =>
  EnumField(
    'What to do if the target branch is checked out somewhere. refuse: merge nothing; update: also update ' +
      'that checkout, if it is clean. Default refuse.',
    checkedOutChoices,
    { optional: true, default: 'refuse', example: 'refuse' },
  );

export class UndoMergeInput extends AttemptTarget {
  @RepoIdsField() repo_ids?: string[];
  @CheckedOutField() checked_out?: (typeof checkedOutChoices)[number];
  @RequestIdField() request_id?: string;
}

/** What REST takes for a merge. */
export class MergeInput extends UndoMergeInput {
  @EnumField(
    'squash: one commit; merge: a merge commit; ff: the branch as it is; rebase: its commits replayed on the target. ' +
      'Default squash.',
    mergeStrategies,
    { optional: true, default: 'squash', example: 'squash' },
  )
  strategy?: MergeStrategy;
  @TextField('Commit message. Default: title and first paragraph of the task.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Add a health check',
  })
  message?: string;
  @TextField('Merge only if the branch is at this commit: head of get_attempt_delivery.', {
    optional: true,
    blankIsAbsent: true,
    example: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  })
  expected_head?: string;
  @BoolField('True only reports what a merge would do. Default false.', {
    optional: true,
    default: false,
    example: false,
  })
  dry_run?: boolean;
}

export class MergeAttemptInput extends MergeInput {
  @EnumField(
    'merge, or undo: reset the target to where it was before the merge, if it has not moved since. Default merge.',
    mergeActions,
    {
      optional: true,
      default: 'merge',
      example: 'merge',
    },
  )
  action?: (typeof mergeActions)[number];
}

export class MergeErrorOutput {
  @TextField('Error code.', { example: 'target_moved' }) code!: string;
  @TextField('What went wrong.', { example: 'The branch main of web-shop has moved in the meantime.' })
  message!: string;
  @RecordField('Facts of the error.', { example: { target_branch: 'main' } }) details!: Record<string, unknown>;
}

export class RepoMergeOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @EnumField(`What was done, or would be in a dry run: one of ${mergeStatuses.join(', ')}.`, mergeStatuses, {
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
  @ObjectField('Why it did not land, or null.', () => MergeErrorOutput, { nullable: true, example: null })
  error!: MergeErrorOutput | null;
}

export class MergeAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField(`Delivery state of the attempt: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'merged' })
  state!: DeliveryState;
  @BoolField('True if nothing was done.', { example: false }) dry_run!: boolean;
  @ListField('The repositories, in the order of the attempt.', () => RepoMergeOutput) repos!: RepoMergeOutput[];
}

/** @throws AppError invalid_argument if a field is only for merges */
export function undoInputOf({ strategy, message, expected_head, dry_run, ...input }: MergeInput): UndoMergeInput {
  const given = Object.entries({ strategy, message, expected_head, dry_run }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 0)
    throw refusal(given.map(([field]) => ({ field, message: `${field} is not allowed when action=undo` })));
  return input;
}
