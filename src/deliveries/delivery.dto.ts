import { type CheckState, ChecksStateField } from '../tasks/checks-state.dto.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  ObjectField,
  TextField,
  TimeField,
  UuidField,
} from '../platform/fields/fields.js';
import { PageInput, PageOutput, WaitField } from '../platform/fields/paging.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates } from '../tasks/task.dto.js';
import { mergeStrategies } from '../workspaces/delivery-host.js';
import { CommitField, ConflictFileOutput, ConflictOutput } from './conflict.dto.js';
import { PullRequestOutput } from './pull-request.dto.js';
import { deliveryKinds, deliveryRowStates } from './delivery.entity.js';

export const RepoChoice = () => UuidField('UUID of one repository.', { optional: true });
const StateField = (of: string) =>
  EnumField(`State of ${of}: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'ready' });

export class AttemptDeliveryInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @BoolField('True asks the forge anew.', {
    optional: true,
    default: false,
    example: true,
  })
  refresh?: boolean;
  @WaitField('for a change.')
  wait_ms?: number;
}

export class RenameBranchInput extends AttemptTarget {
  @TextField('New name of the branch of the attempt, in all its repositories.', {
    nonBlank: true,
    maxLength: 200,
    example: 'feature/health-check',
  })
  branch!: string;
}

export class TargetBranchInput extends AttemptTarget {
  @TextField('New target branch; it must exist.', { nonBlank: true, maxLength: 200, example: 'main' })
  target_branch!: string;
  @RepoChoice() repo_id?: string;
}

export class PreviewOutput {
  @BoolField('True if the work merges without a conflict.', { example: true }) clean!: boolean;
  @ListField('Conflicts of the merge.', () => ConflictFileOutput) conflicts!: ConflictFileOutput[];
}

export class RemoteBranchOutput {
  @TextField('Name of the remote.', { example: 'origin' }) name!: string;
  @TextField('Branch there.', { example: 'ty/1f0c9d2e-add-a-health-check' }) branch!: string;
  @CommitField('Commit it was last pushed at.') commit!: string;
}

const checkoutStates = ['none', 'clean', 'dirty'] as const;

export class CheckoutOutput {
  @EnumField('none, clean, or dirty (it holds uncommitted changes).', checkoutStates, { example: 'none' })
  state!: (typeof checkoutStates)[number];
  @TextField('Folder of the checkout, or null.', { nullable: true, example: null }) path!: string | null;
}

export class RepoDeliveryOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @StateField('the repository') state!: DeliveryState;
  @TextField('Branch of the attempt.', { example: 'ty/1f0c9d2e-add-a-health-check' }) branch!: string;
  @CommitField('Commit the branch is at; pass it as expected_head.') head!: string;
  @TextField('Target branch.', { example: 'main' }) target_branch!: string;
  @IntField('Commits of the branch that the target lacks. Integer.', { example: 2 }) ahead!: number;
  @IntField('Commits of the target that the branch lacks. Integer.', { example: 0 }) behind!: number;
  @BoolField('True if the worktree holds uncommitted work.', { example: false }) uncommitted!: boolean;
  @CommitField(
    'Hash of all the work, what is uncommitted included; pass it as expected_content. Null if that is too large.',
    { nullable: true },
  )
  content_hash!: string | null;
  @TextField('Why the target could not be fetched and is shown as of the last fetch, or null.', {
    nullable: true,
    example: null,
  })
  fetch_error!: string | null;
  @ObjectField(
    'Result of a merge now, uncommitted work included; null during an update, or without a target to merge into.',
    () => PreviewOutput,
    { nullable: true },
  )
  preview!: PreviewOutput | null;
  @ObjectField(
    'Where the target branch is checked out; a merge updates that with checked_out=update, if it is clean.',
    () => CheckoutOutput,
  )
  checkout!: CheckoutOutput;
  @ObjectField('The update in progress in the worktree, or null.', () => ConflictOutput, {
    nullable: true,
    example: null,
  })
  operation!: ConflictOutput | null;
  @BoolField('True if there is a remote that the branch can be pushed to.', { example: true }) has_remote!: boolean;
  @ObjectField('Where the branch was pushed, or null.', () => RemoteBranchOutput, { nullable: true, example: null })
  remote!: RemoteBranchOutput | null;
  @ObjectField('Newest pull request of the branch, or null.', () => PullRequestOutput, {
    nullable: true,
    example: null,
  })
  pull_request!: PullRequestOutput | null;
}

export class AttemptDeliveryOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @StateField('the attempt') state!: DeliveryState;
  @ChecksStateField() checks_state!: CheckState | null;
  @ListField('Repositories of the attempt, in its order.', () => RepoDeliveryOutput) repos!: RepoDeliveryOutput[];
}

export class ListDeliveriesInput extends PageInput {
  @UuidField('Project id (UUID).') project_id!: string;
}

export class DeliveryOutput {
  @UuidField('Delivery id (UUID).') delivery_id!: string;
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @UuidField('Repository id (UUID).') repo_id!: string;
  @UuidField('Task id (UUID).') task_id!: string;
  @EnumField('What was done: merge, push or pull_request.', deliveryKinds, { example: 'merge' }) kind!: string;
  @EnumField(`Outcome: one of ${deliveryRowStates.join(', ')}.`, deliveryRowStates, { example: 'merged' })
  state!: string;
  @EnumField('Strategy of a merge, or null.', mergeStrategies, { nullable: true, example: 'squash' })
  strategy!: string | null;
  @CommitField('Commit that was delivered.') source_commit!: string;
  @TextField('Branch it went to.', { example: 'main' }) target_branch!: string;
  @CommitField('Commit that branch was at before, or null.', { nullable: true }) target_before!: string | null;
  @CommitField('Commit it was at afterwards.') target_after!: string;
  @TextField('Remote of that branch, or null.', { nullable: true, example: null }) remote!: string | null;
  @TextField('Error code of a failure, or null.', { nullable: true, example: null }) error_code!: string | null;
  @TextField('Who asked for it.', { example: '@ada' }) requested_by!: string;
  @TimeField('When it began (RFC 3339).') created_at!: string;
}

export class ListDeliveriesOutput extends PageOutput {
  @ListField('Deliveries of the project, newest first.', () => DeliveryOutput) deliveries!: DeliveryOutput[];
}
