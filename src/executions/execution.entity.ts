import { Column, Entity, PrimaryColumn } from 'typeorm';

export type RunReason = 'setupscript' | 'codingagent' | 'cleanupscript' | 'devserver';
/** queued: its job waits; killed: a stop ended it. The row is the truth, the job only carries it. */
export type ExecutionStatus = 'queued' | 'running' | 'completed' | 'failed' | 'killed';

/** One run of a script or an agent. */
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
  /** The repository whose script runs; null for agents. */
  @Column('uuid', { nullable: true }) repo_id!: string | null;
  /** What the agent is told in this turn; scripts before and after it carry it along. */
  @Column('text', { nullable: true }) prompt!: string | null;
  /** The prompt is the task's own text, not a message somebody wrote. */
  @Column('boolean') is_task_text!: boolean;
  @Column('text', { nullable: true }) variant!: string | null;
  /** Seconds the run may take, where its start said so. */
  @Column('int', { nullable: true }) timeout_secs!: number | null;
  @Column('uuid', { nullable: true }) job_id!: string | null;
  @Column('text', { nullable: true }) runner_id!: string | null;
  /** SHA-256 of the token its agent calls back with. */
  @Column('bytea', { nullable: true }) token_hash!: Buffer | null;
  @Column('int', { nullable: true }) exit_code!: number | null;
  @Column('text', { nullable: true }) failure_summary!: string | null;
  @Column('text', { nullable: true }) final_message!: string | null;
  @Column('timestamptz', { nullable: true }) stop_requested_at!: Date | null;
  @Column('boolean') stop_forced!: boolean;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
  @Column('timestamptz', { nullable: true }) started_at!: Date | null;
  @Column('timestamptz', { nullable: true }) completed_at!: Date | null;
}
