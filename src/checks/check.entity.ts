import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CheckState } from '../tasks/checks-state.dto.js';

export const checkNetworks = ['inherit', 'none'] as const;
type CheckNetwork = (typeof checkNetworks)[number];

export type CheckCause = 'turn_end' | 'request' | 'delivery';

/** What maintainers have set; never read from a worktree. */
export interface CheckDefinition {
  name: string;
  command: string;
  timeout_secs: number;
  required: boolean;
  /** Globs: it runs only if a path of the changes matches one; null for always. */
  paths: string[] | null;
  network: CheckNetwork;
  rerun_on_failure: boolean;
}

/** The checks of a repository. A repository without a row has none, and version 0. */
@Entity('repo_checks')
export class RepoChecks {
  @PrimaryColumn('uuid') repo_id!: string;
  @Column('int') version!: number;
  @Column('jsonb') checks!: CheckDefinition[];
}

/** One run of all checks of an attempt: a job of the turn queue. */
@Entity('check_runs')
export class CheckRun {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') project_id!: string;
  @Column('uuid') task_id!: string;
  @Column('text') cause!: CheckCause;
  @Column('uuid') job_id!: string;
  /** Name of who asked for it. */
  @Column('text') requested_by!: string;
  @Column('timestamptz') created_at!: Date;
  /** When its runner had read what is to be checked; null before. */
  @Column('timestamptz', { nullable: true }) planned_at!: Date | null;
  @Column('timestamptz', { nullable: true }) ended_at!: Date | null;
}

/** One check of a run, bound to head, target and version. */
@Entity('check_results')
export class CheckResult {
  @PrimaryColumn('uuid') run_id!: string;
  @PrimaryColumn('int') position!: number;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') repo_id!: string;
  @Column('text') name!: string;
  @Column('boolean') required!: boolean;
  /** The commit that is checked; null before its runner has read it. */
  @Column('text', { nullable: true }) head!: string | null;
  /** Tip of the target branch at that time; null also where the branch is gone. */
  @Column('text', { nullable: true }) target!: string | null;
  /** Commit that tells what fails without the work: their merge base, or the target. */
  @Column('text', { nullable: true }) base!: string | null;
  /** Result of a merge of both that is checked instead of the head, or null. */
  @Column('text', { nullable: true }) merged!: string | null;
  /** Of the definitions. */
  @Column('int') version!: number;
  @Column('jsonb') definition!: CheckDefinition;
  @Column('text') state!: CheckState;
  @Column('int', { nullable: true }) exit_code!: number | null;
  @Column('int', { nullable: true }) duration_ms!: number | null;
  /** Its last execution on the head, and that on the base. */
  @Column('uuid', { nullable: true }) execution_id!: string | null;
  @Column('uuid', { nullable: true }) baseline_execution_id!: string | null;
  /** Executions on the head that failed, and those whose runner was lost. */
  @Column('int') tries!: number;
  @Column('int') losses!: number;
  /** Whether it fails on the base, too; null where nobody knows. */
  @Column('boolean', { nullable: true }) failed_before!: boolean | null;
  @Column('text', { nullable: true }) reason!: string | null;
  /** Last lines of its output. */
  @Column('text', { nullable: true }) tail!: string | null;
}

/** What a check said of a commit that others build on. */
@Entity('check_baselines')
export class CheckBaseline {
  @PrimaryColumn('uuid') repo_id!: string;
  @PrimaryColumn('text') commit!: string;
  @PrimaryColumn('text') definition_hash!: string;
  @Column('text') state!: 'passed' | 'failed';
  @Column('timestamptz') created_at!: Date;
}
