import { Column, Entity, PrimaryColumn } from 'typeorm';

export type RunReason = 'setupscript' | 'codingagent' | 'cleanupscript' | 'devserver' | 'check' | 'review';
/** queued: its job waits; killed: ended by a stop. The row is the truth, not the job. */
export type ExecutionStatus = 'queued' | 'running' | EndStatus;
export type EndStatus = 'completed' | 'failed' | 'killed';

/** One process of a turn: a script, the agent, or one that reviews; or one check of its work. */
@Entity('executions')
export class Execution {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') session_id!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') run_reason!: RunReason;
  @Column('text') status!: ExecutionStatus;
  /** The repository whose script or check runs; null for agents. */
  @Column('uuid', { nullable: true }) repo_id!: string | null;
  /** The prompt of the turn; also stored with its scripts. */
  @Column('text', { nullable: true }) prompt!: string | null;
  /** The prompt is the text of the task, not a message. */
  @Column('boolean') is_task_text!: boolean;
  @Column('text', { nullable: true }) variant!: string | null;
  /** Time limit of the process in seconds, if its start set one. */
  @Column('int', { nullable: true }) timeout_secs!: number | null;
  /** Id of the principal whose turn it is. */
  @Column('text') started_by!: string;
  @Column('uuid', { nullable: true }) job_id!: string | null;
  @Column('text', { nullable: true }) runner_id!: string | null;
  /** SHA-256 of the token its agent calls back with. */
  @Column('bytea', { nullable: true }) token_hash!: Buffer | null;
  @Column('int', { nullable: true }) exit_code!: number | null;
  @Column('text', { nullable: true }) failure_summary!: string | null;
  @Column('text', { nullable: true }) final_message!: string | null;
  /** Bytes of its log, counted at its end; 0 once it is pruned. */
  @Column('bigint') log_bytes!: string;
  @Column('timestamptz', { nullable: true }) stop_requested_at!: Date | null;
  @Column('boolean') stop_forced!: boolean;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
  @Column('timestamptz', { nullable: true }) started_at!: Date | null;
  @Column('timestamptz', { nullable: true }) completed_at!: Date | null;
  /** As the agent reports it; null if it reports nothing. */
  @Column('bigint', { nullable: true }) input_tokens!: string | null;
  @Column('bigint', { nullable: true }) cached_input_tokens!: string | null;
  @Column('bigint', { nullable: true }) output_tokens!: string | null;
  @Column('float8', { nullable: true }) cost_usd!: number | null;
}

/** Fields of a new execution; the database sets the rest. */
export type NewExecution = Pick<
  Execution,
  | 'id'
  | 'attempt_id'
  | 'session_id'
  | 'task_id'
  | 'project_id'
  | 'run_reason'
  | 'repo_id'
  | 'status'
  | 'prompt'
  | 'is_task_text'
  | 'variant'
  | 'timeout_secs'
  | 'started_by'
  | 'runner_id'
> & { job_id: string };

/** An execution of a turn is leased by the job of the turn; dev servers have none. */
export type TurnExecution = Execution & { job_id: string };
