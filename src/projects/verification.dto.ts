import { canonicalExecutor } from '../executors/executor-names.js';
import { BoolField, EnumField, IntField, ObjectField, TextField } from '../platform/fields/fields.js';
import { checkMoments, checkPolicies } from './project.entity.js';

/** How a project has the work of its attempts verified, and what it does about failures by itself. */

export class RetriesFields {
  @BoolField('After a failure that passes by itself, as an overloaded model: 3 times, 30 s to 10 min later.', {
    optional: true,
    example: true,
  })
  transient?: boolean;
  @BoolField('After a lost runner: once.', { optional: true, example: true }) infra?: boolean;
  @BoolField('When a spent quota is reset: 5 times at most.', { optional: true, example: false }) quota?: boolean;
}

export class RetriesOutput {
  @BoolField('After a failure that passes by itself: 3 times.', { example: true }) transient!: boolean;
  @BoolField('After a lost runner: once.', { example: true }) infra!: boolean;
  @BoolField('When a spent quota is reset: 5 times at most.', { example: false }) quota!: boolean;
}

export class ReviewPolicyFields {
  @TextField('Executor that reviews; another one than the author sees more.', {
    nonBlank: true,
    normalise: canonicalExecutor,
    example: 'CODEX',
  })
  executor!: string;
  @TextField('Its variant; its default without.', { optional: true, blankIsAbsent: true, example: 'DEFAULT' })
  variant?: string;
  @IntField('How often changes that it requests go back to the author.', {
    optional: true,
    default: 1,
    minimum: 1,
    maximum: 5,
    example: 1,
  })
  rounds?: number;
}

export class ReviewPolicyOutput {
  @TextField('Executor that reviews.', { example: 'CODEX' }) executor!: string;
  @TextField('Its variant, or null for its default.', { nullable: true, example: null }) variant!: string | null;
  @IntField('How often changes that it requests go back to the author.', { example: 1 }) rounds!: number;
}

type Reading = { optional?: boolean };

export const ChecksField = (options: Reading) =>
  EnumField(
    'What a delivery asks of the checks of its repositories: one of off (nothing), warn (tells and lets pass), block.',
    checkPolicies,
    { ...options, example: 'off' },
  );

export const CheckOnField = (options: Reading) =>
  EnumField(
    'When checks run: one of turn_end (after a turn that changed something), delivery (before it lands), request.',
    checkMoments,
    { ...options, example: 'turn_end' },
  );

export const FixRoundsField = (options: Reading) =>
  IntField('How often a failed check goes back to the agent by itself; 0 never.', {
    ...options,
    minimum: 0,
    maximum: 10,
    example: 2,
  });

export const ReviewPolicyField = () =>
  ObjectField('A second agent that reviews what passed its checks; null for none.', () => ReviewPolicyFields, {
    optional: true,
    nullClears: true,
    example: null,
  });

export const RetriesField = () =>
  ObjectField('Failures after which the last message is sent again; what is left out stays.', () => RetriesFields, {
    optional: true,
    example: { quota: true },
  });
