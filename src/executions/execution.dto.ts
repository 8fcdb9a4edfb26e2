import { AttemptTarget } from '../attempts/attempt.dto.js';
import { UsageField, type UsageOutput } from '../executors/usage.dto.js';
import { EnumField, IntField, ListField, TextField, TimeField, UuidField } from '../platform/fields/fields.js';
import { LimitField, OlderCursorField, PageOutput } from '../platform/fields/paging.js';

const statuses = ['queued', 'running', 'completed', 'failed', 'killed'] as const;
const reasons = ['setupscript', 'codingagent', 'cleanupscript', 'devserver', 'check', 'review'] as const;

export class ExecutionTarget {
  @UuidField('Execution id (UUID): execution_process_id or latest_execution_process_id of a response.')
  execution_process_id!: string;
}

const ResumeField = () =>
  IntField('Start after this entry_index; -1 starts with the first entry. Last-Event-ID takes precedence. Integer.', {
    optional: true,
    minimum: -1,
    example: 41,
  });

export class AttemptEventsInput extends AttemptTarget {
  @ResumeField() after_entry_index?: number;
}

export class ExecutionStreamInput extends ExecutionTarget {
  @ResumeField() after_entry_index?: number;
  @EnumField('Log channel: normalized or raw. Default normalized.', ['normalized', 'raw'], { optional: true })
  channel?: 'normalized' | 'raw';
}

export class ListExecutionsInput extends AttemptTarget {
  @LimitField() limit?: number;
  @OlderCursorField() cursor?: number;
}

/** The last event of the stream of an execution. */
export class ExecutionEndOutput {
  @UuidField('Execution that has ended (UUID).') execution_process_id!: string;
  @EnumField(`Status: one of ${statuses.join(', ')} (stopped).`, statuses, { example: 'completed' }) status!: string;
}

export class ExecutionOutput {
  @UuidField('Execution id (UUID).') execution_process_id!: string;
  @UuidField('Attempt of the execution (UUID).') attempt_id!: string;
  @UuidField('Session of the execution (UUID).') session_id!: string;
  @TextField('Executor of that session.', { example: 'CODEX' }) executor!: string;
  @TextField('Variant of the executor, or null for its default.', { nullable: true, example: null }) variant!:
    string | null;
  @EnumField(`What it runs: one of ${reasons.join(', ')}.`, reasons, { example: 'codingagent' }) run_reason!: string;
  @EnumField(`Status: one of ${statuses.join(', ')} (stopped).`, statuses, { example: 'failed' }) status!: string;
  @IntField('Exit code of the process, or null. Integer.', { nullable: true, example: 1 }) exit_code!: number | null;
  @IntField('Milliseconds from start to end, or until now; null before the start. Integer.', {
    nullable: true,
    example: 61000,
  })
  duration_ms!: number | null;
  @TimeField('When it was requested (RFC 3339).') created_at!: string;
  @TimeField('When it started (RFC 3339), or null.', { nullable: true }) started_at!: string | null;
  @TimeField('When it ended (RFC 3339), or null.', { nullable: true }) ended_at!: string | null;
  @TextField('Why it failed, or null.', { nullable: true, example: 'not logged in' }) failure_summary!: string | null;
  @TextField('What to do about the failure, or null.', { nullable: true, example: 'Send a follow-up to continue.' })
  hint!: string | null;
  @UsageField('What the agent says it has used.') usage!: UsageOutput | null;
}

export class ListExecutionsOutput extends PageOutput {
  @UuidField('Attempt id (UUID).') attempt_id!: string;
  @ListField('Executions, newest first.', () => ExecutionOutput) executions!: ExecutionOutput[];
}
