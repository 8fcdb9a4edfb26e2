import { ReplayedField } from '../idempotency/idempotency.dto.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { CommitField, ConflictOutput } from './conflict.dto.js';
import { RepoChoice } from './delivery.dto.js';
import { BoolField, EnumField, ListField, ObjectField, TextField, UuidField } from '../platform/fields/fields.js';
import { Modes } from '../platform/fields/mode-rules.js';
import { normaliseInput } from '../platform/fields/normalise.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates, RequestIdField } from '../tasks/task.dto.js';
import { type UpdateMethod, updateMethods } from '../workspaces/delivery-host.js';

const updateActions = ['start', 'continue', 'abort'] as const;
export type UpdateAction = (typeof updateActions)[number];
export const updateStatuses = ['updated', 'up_to_date', 'conflict', 'aborted'] as const;

const TargetChoice = () =>
  TextField('Branch to bring in. Default: that of the attempt.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'main',
  });
const onlyStart = { forbid: ['method', 'target_branch', 'resolve'] };

export class ResolveChoice {
  @TextField('What the agent is told beside the conflicts.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    example: 'Keep the wording of main.',
  })
  prompt?: string;
}

/** Yes or no has one meaning, too. */
function resolveChoice(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? {} : undefined;
  return normaliseInput(ResolveChoice, value);
}

@Modes('action', { start: {}, continue: onlyStart, abort: onlyStart })
export class UpdateAttemptBranchInput extends AttemptTarget {
  @EnumField(
    'start: commit what is uncommitted and bring in the target; continue: after somebody resolved its conflicts by ' +
      'hand; abort: restore the branch.',
    updateActions,
    { example: 'start' },
  )
  action!: UpdateAction;
  @EnumField('merge, or rebase, which rewrites commits. Default merge.', updateMethods, {
    optional: true,
    default: 'merge',
    example: 'merge',
  })
  method?: UpdateMethod;
  @TargetChoice() target_branch?: string;
  @ObjectField('Has the agent resolve conflicts and complete the update.', () => ResolveChoice, {
    optional: true,
    example: {},
    normalise: resolveChoice,
  })
  resolve?: ResolveChoice;
  @RepoChoice() repo_id?: string;
  @RequestIdField() request_id?: string;
}

/** Input of the shorter routes for two of the actions. */
export class AbortUpdateInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @RequestIdField() request_id?: string;
}

export class RebaseInput extends AbortUpdateInput {
  @TargetChoice() target_branch?: string;
}

export class RepoUpdateOutput {
  @UuidField('Repository id (UUID).') repo_id!: string;
  @TextField('Name of the repository.', { example: 'web-shop' }) repo_name!: string;
  @EnumField(
    'updated; up_to_date if there was nothing to bring in; conflict if the worktree holds conflicts; or aborted.',
    updateStatuses,
    { example: 'updated' },
  )
  status!: (typeof updateStatuses)[number];
  @CommitField('Commit the branch is at.') head!: string;
  @ObjectField('The conflicts in the worktree, or null.', () => ConflictOutput, {
    nullable: true,
    example: null,
  })
  conflict!: ConflictOutput | null;
}

export class UpdateAttemptBranchOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @EnumField('Action performed: start, continue or abort.', updateActions, { example: 'start' }) action!: UpdateAction;
  @EnumField(`Delivery state of the attempt: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'ready' })
  state!: DeliveryState;
  @BoolField('True if the agent was asked to resolve conflicts; call get_attempt_status with wait_ms, then merge.', {
    example: false,
  })
  resolving!: boolean;
  @ListField('The repositories, in the order of the attempt.', () => RepoUpdateOutput) repos!: RepoUpdateOutput[];
  @ReplayedField() replayed?: boolean;
}
