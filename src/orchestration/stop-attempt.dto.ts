import { AttemptTarget, type AttemptState, attemptStates } from '../attempts/attempt.dto.js';
import { BoolField, EnumField, UuidField } from '../platform/fields/fields.js';

export class StopAttemptInput extends AttemptTarget {
  @BoolField('True kills at once instead of asking first. Default false.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
}

export class StopAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @BoolField('Whether it was killed at once.', { example: false }) force!: boolean;
  @BoolField('True when a run was live and has ended; false when nothing ran or it still ends.', { example: true })
  stopped!: boolean;
  @BoolField('True while the run still ends; call again with force=true to kill it.', { example: false })
  is_stopping!: boolean;
  @EnumField('State of the attempt now: one of idle, running, completed, failed.', attemptStates, { example: 'failed' })
  state!: AttemptState;
  @UuidField('The run that was live (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
}
