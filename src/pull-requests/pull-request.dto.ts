import { ErrorEnvelope } from '../platform/errors/error-envelope.js';
import type { NestedRefusal } from '../platform/errors/nested-refusal.js';
import { ReplayedField } from '../idempotency/idempotency.dto.js';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { RepoChoice } from '../deliveries/delivery.dto.js';
import {
  CommentOutput,
  PullRequestOutput,
  RepoPullRequestFields,
  RepoPullRequestOutput,
} from '../deliveries/pull-request.dto.js';
import { type PullRequestMethod, pullRequestMethods } from '../forges/forge.js';
import {
  BoolField,
  EnumField,
  EnumListField,
  ListField,
  ObjectField,
  TextField,
  UuidField,
} from '../platform/fields/fields.js';
import { Modes } from '../platform/fields/mode-rules.js';
import { LimitField, OlderCursorField, PageOutput } from '../platform/fields/paging.js';
import { DELIVERY_WORDS, type DeliveryState, deliveryStates, RequestIdField } from '../tasks/task.dto.js';
import { OverrideField, type OverrideInput } from '../deliveries/override.dto.js';
import { AllowFailedField } from '../deliveries/reviewed-work.dto.js';

const TitleField = () =>
  TextField('Default: that of the task.', {
    optional: true,
    nonBlank: true,
    blankIsAbsent: true,
    maxLength: 255,
    example: 'Add a health check',
  });
const BodyField = () =>
  TextField('Default: that of the task.', {
    optional: true,
    blankIsAbsent: true,
    maxLength: 60_000,
    example: 'Answers 200 at /healthz.',
  });
const DraftField = () =>
  BoolField('True: a draft.', {
    optional: true,
    example: false,
  });
const UrlField = (optional: boolean) =>
  TextField('URL of the pull request.', { optional, example: 'https://github.com/ada/web-shop/pull/7' });
const StateField = () =>
  EnumField(`Delivery state of the attempt: ${DELIVERY_WORDS}.`, deliveryStates, { example: 'pr_open' });

export class NewPullRequestInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @TitleField() title?: string;
  @BodyField() body?: string;
  @DraftField() draft?: boolean;
  @AllowFailedField() allow_failed?: boolean;
  @RequestIdField() request_id?: string;
}

/** What REST takes to open one. */
export class OverridableOpenInput extends NewPullRequestInput {
  @OverrideField() override?: OverrideInput;
}

export class AttachPullRequestInput extends AttemptTarget {
  @UrlField(false) url!: string;
  @RequestIdField() request_id?: string;
}

export const openActions = ['open', 'attach', 'update'] as const;

@Modes('action', {
  open: { forbid: ['url'] },
  attach: { require: ['url'], forbid: ['repo_id', 'title', 'body', 'draft', 'allow_failed'] },
  update: { forbid: ['url', 'allow_failed'] },
})
export class OpenPullRequestInput extends NewPullRequestInput {
  @EnumField(
    'open: push and open one, or return it; attach: adopt one opened elsewhere; ' +
      'update: change title, body or draft.',
    openActions,
    { example: 'open' },
  )
  action!: (typeof openActions)[number];
  @UrlField(true) url?: string;
}

export const openStatuses = ['opened', 'already_open', 'attached', 'updated', 'nothing_to_deliver', 'failed'] as const;

export class RepoOpenOutput extends RepoPullRequestFields {
  @EnumField(`What was done: one of ${openStatuses.join(', ')}.`, openStatuses, { example: 'opened' })
  status!: (typeof openStatuses)[number];
  @ObjectField('The pull request, or null.', () => PullRequestOutput, { nullable: true })
  pull_request!: PullRequestOutput | null;
  @ObjectField('Why there is none, or null.', () => ErrorEnvelope, { nullable: true, example: null })
  error!: NestedRefusal | null;
}

export class OpenPullRequestOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @StateField() state!: DeliveryState;
  @ListField('The repositories, in the order of the attempt.', () => RepoOpenOutput) repos!: RepoOpenOutput[];
  @ReplayedField() replayed?: boolean;
}

const includable = ['checks', 'reviews', 'comments'] as const;

export class CommentsInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @BoolField('True leaves out resolved comments.', {
    optional: true,
    default: false,
    example: true,
  })
  only_unresolved?: boolean;
  @LimitField() limit?: number;
  @OlderCursorField() cursor?: number;
}

export class GetPullRequestInput extends CommentsInput {
  @EnumListField('checks, reviews or comments. Default: all.', includable, {
    optional: true,
    minItems: 1,
    example: ['checks', 'comments'],
  })
  include?: (typeof includable)[number][];
}

export class RepoGetOutput extends RepoPullRequestOutput {
  @ObjectField('The pull request.', () => PullRequestOutput) pull_request!: PullRequestOutput;
}

export class GetPullRequestOutput extends PageOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @StateField() state!: DeliveryState;
  @ListField('The pull requests, in the order of the repositories.', () => RepoGetOutput) repos!: RepoGetOutput[];
  @ListField('A page of their comments, oldest first.', () => CommentOutput) comments!: CommentOutput[];
}

const HeadField = (optional: boolean) =>
  TextField('Only at this head_commit of get_pull_request.', {
    optional,
    nonBlank: true,
    blankIsAbsent: optional,
    maxLength: 64,
    example: '3f2a9c1d5e8b7a6f4c3d2e1f0a9b8c7d6e5f4a3b',
  });
const MethodField = () =>
  EnumField('squash, merge or rebase. Default squash.', pullRequestMethods, {
    optional: true,
    default: 'squash',
    example: 'squash',
  });

export class ClosePullRequestInput extends AttemptTarget {
  @RepoChoice() repo_id?: string;
  @RequestIdField() request_id?: string;
}

/** What REST takes for the queue, and with a method for a merge. */
export class QueuePullRequestInput extends ClosePullRequestInput {
  @HeadField(false) expected_head!: string;
  @OverrideField() override?: OverrideInput;
}

export class MergePullRequestFields extends QueuePullRequestInput {
  @MethodField() method?: PullRequestMethod;
}

export const mergePullRequestActions = ['merge', 'queue', 'close'] as const;

@Modes('action', {
  merge: { require: ['expected_head'] },
  queue: { require: ['expected_head'], forbid: ['method'] },
  close: { forbid: ['expected_head', 'method'] },
})
export class MergePullRequestInput extends ClosePullRequestInput {
  @EnumField('merge now, queue for the forge to merge, or close unmerged.', mergePullRequestActions, {
    example: 'merge',
  })
  action!: (typeof mergePullRequestActions)[number];
  @HeadField(true) expected_head?: string;
  @MethodField() method?: PullRequestMethod;
}

export const mergePullRequestStatuses = ['merged', 'already_merged', 'queued', 'closed'] as const;

export class RepoMergePullRequestOutput extends RepoPullRequestFields {
  @EnumField(`Outcome: one of ${mergePullRequestStatuses.join(', ')}.`, mergePullRequestStatuses, {
    example: 'merged',
  })
  status!: (typeof mergePullRequestStatuses)[number];
  @ObjectField('The pull request.', () => PullRequestOutput) pull_request!: PullRequestOutput;
}

export class MergePullRequestOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @StateField() state!: DeliveryState;
  @ListField('The repository.', () => RepoMergePullRequestOutput) repos!: RepoMergePullRequestOutput[];
  @ReplayedField() replayed?: boolean;
}
