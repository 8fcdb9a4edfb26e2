import { AttemptTarget } from '../attempts/attempt.dto.js';
import { EnumField, IntField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { LimitField, OlderCursorField, PageOutput } from '../platform/fields/paging.js';
import {
  type ContinuationCause,
  continuationCauses,
  type ContinuationState,
  continuationStates,
} from './continuation.entity.js';

export class ListContinuationsInput extends AttemptTarget {
  @LimitField() limit?: number;
  @OlderCursorField() cursor?: number;
}

export class ContinuationTarget extends AttemptTarget {
  @UuidField('Id of a continuation that is due (UUID).') continuation_id!: string;
}

export class ContinuationOutput {
  @UuidField('Id of the continuation (UUID).') continuation_id!: string;
  @UuidField('Session whose message it is (UUID).') session_id!: string;
  @EnumField(
    'Why it goes on: one of repair (a check failed), review (a second agent requests changes), transient, quota, ' +
      'infra (failures that pass by themselves).',
    continuationCauses,
    { example: 'repair' },
  )
  cause!: ContinuationCause;
  @IntField('Which one of its cause it is since somebody last sent a message. Integer.', { example: 1 })
  round!: number;
  @EnumField(
    'State: one of due, queued (its time has come, something is in its way), sent, dropped, exhausted (a person is ' +
      'asked).',
    continuationStates,
    { example: 'due' },
  )
  state!: ContinuationState;
  @TimeField('When it is sent (RFC 3339).') due_at!: string;
  @TextField('Why it waits, was dropped or did not help; or null.', { nullable: true, example: null })
  reason!: string | null;
  @TextField('The message; beyond 8 KB its beginning.', { example: 'A required check failed.' }) prompt!: string;
  @UuidField('First execution of its turn (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
  @TimeField('When it was planned (RFC 3339).') created_at!: string;
}

export class ListContinuationsOutput extends PageOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ListField('Continuations, newest first.', () => ContinuationOutput) continuations!: ContinuationOutput[];
}
