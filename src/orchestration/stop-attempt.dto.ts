import { AttemptTarget, type AttemptState, attemptStates } from '../attempts/attempt.dto.js';
import { BoolField, EnumField, UuidField } from '../platform/fields/fields.js';

export class StopAttemptInput extends AttemptTarget {
  @BoolField('True kills the agent immediately instead of asking it to stop. Default false.', {
    optional: true,
    default: false,
    example: false,
  })
  force?: boolean;
}

export class StopAttemptOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @BoolField('True if the agent was killed immediately.', { example: false }) force!: boolean;
  @BoolField('True if a live run has ended; false if nothing was running or it is still ending.', { example: true })
  stopped!: boolean;
  @BoolField('True if the run is still ending; call again with force=true to kill it.', { example: false })
  is_stopping!: boolean;
  @EnumField('Current state of the attempt: one of idle, running, completed, failed.', attemptStates, {
    example: 'failed',
  })
  state!: AttemptState;
  @UuidField('Execution that was live (UUID), or null.', { nullable: true }) execution_process_id!: string | null;
}
