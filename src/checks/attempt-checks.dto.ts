import { AttemptTarget } from '../attempts/attempt.dto.js';
import { checkStates, type CheckState, ChecksStateField } from '../tasks/checks-state.dto.js';
import {
  BoolField,
  EnumField,
  IntField,
  ListField,
  TextField,
  TextListField,
  UuidField,
} from '../platform/fields/fields.js';
import { WaitField } from '../platform/fields/paging.js';

export class RunChecksInput extends AttemptTarget {
  @WaitField('for their end. Default 0.', { default: 0 }) wait_ms?: number;
}

class CheckResultOutput {
  @UuidField('Repository (UUID).') repo_id!: string;
  @TextField('Name of the check.', { example: 'tests' }) name!: string;
  @BoolField('Whether a delivery waits for it.', { example: true }) required!: boolean;
  @EnumField(
    'One of pending, running, passed, failed, errored (it could not tell: reason says why), skipped (the work touches ' +
      'none of its paths), stale (branch, target or checks have changed since).',
    checkStates,
    { example: 'failed' },
  )
  state!: CheckState;
  @IntField('Exit code of its command, or null. Integer.', { nullable: true, example: 1 }) exit_code!: number | null;
  @IntField('Milliseconds that it took, or null. Integer.', { nullable: true, example: 4200 })
  duration_ms!: number | null;
  @UuidField('Execution with its log (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
  @BoolField('Whether it fails without the work, too; null where that is not known.', {
    nullable: true,
    example: false,
  })
  failed_before!: boolean | null;
  @TextField('Why it has that state and what to do, or null.', { nullable: true, example: null }) reason!:
    string | null;
}

export class AttemptChecksOutput {
  @ChecksStateField() state!: CheckState | null;
  @TextField('Commit that was checked, of the first repository; null before.', { nullable: true, example: null })
  head!: string | null;
  @IntField('Version of the checks of that repository; null without any. Integer.', { nullable: true, example: 1 })
  version!: number | null;
  @IntField('How often a failure went back to the agent since a person wrote. Integer.', { example: 0 })
  rounds_used!: number;
  @TextField('Why it does not go back to the agent any more, or null.', { nullable: true, example: null })
  exhausted_reason!: string | null;
  @ListField('The checks, repository by repository.', () => CheckResultOutput) checks!: CheckResultOutput[];
  @TextListField(
    'Changed files that may make the checks pass without better work, and that no person has accepted yet.',
    { example: ['web-shop/package.json'] },
  )
  tampering!: string[];
}
