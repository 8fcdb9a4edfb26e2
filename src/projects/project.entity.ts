import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { AuditFact } from '../audit/audit.repository.js';
import type { ProjectNetwork } from '../egress/run-network.js';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';

export const autoCommitPolicies = ['off', 'per_turn'] as const;
export type AutoCommit = (typeof autoCommitPolicies)[number];

/** What a delivery asks of the checks, and when these run. */
export const checkPolicies = ['off', 'warn', 'block'] as const;
export type CheckPolicy = (typeof checkPolicies)[number];
export const checkMoments = ['turn_end', 'delivery', 'request'] as const;
export type CheckMoment = (typeof checkMoments)[number];

/** A second agent that reviews. */
export interface ReviewPolicy {
  executor: string;
  variant: string | null;
  /** How often changes that it requests go back to the author. */
  rounds: number;
}

/** Failures of an agent after which its message is sent again by itself. */
export interface RetryPolicy {
  transient: boolean;
  infra: boolean;
  quota: boolean;
}

@Entity('projects')
export class Project {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  @Column('text', { nullable: true }) description!: string | null;
  /** Whether changes of a turn are committed to the branch of its attempt. */
  @Column('text') auto_commit!: AutoCommit;
  /** The principal whose storage it counts against. */
  @Column('text', { nullable: true }) stored_by!: string | null;
  /** Names of secrets without which no turn begins. */
  @Column('text', { array: true }) required_secrets!: string[];
  /** What its runs reach. */
  @Column('text') network!: ProjectNetwork;
  /** Host rules, as `hostRuleText` writes them. */
  @Column('text', { array: true }) allowed_hosts!: string[];
  /** Names of lists of hosts. */
  @Column('text', { array: true }) presets!: string[];
  /** Labels that the runners of its turns have, sorted. */
  @Column('text', { array: true }) runs_on!: string[];
  @Column('text') checks!: CheckPolicy;
  @Column('text') check_on!: CheckMoment;
  /** How often a failed check goes back to the agent by itself. */
  @Column('smallint') fix_rounds!: number;
  @Column('jsonb', { nullable: true }) review!: ReviewPolicy | null;
  @Column('jsonb') retries!: RetryPolicy;
  /** Where it was imported from. */
  @Column('text', { nullable: true, select: false }) origin_system!: string | null;
  @Column('text', { nullable: true, select: false }) origin_id!: string | null;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
  @Column('timestamptz', { nullable: true }) deleted_at!: Date | null;
}

/** What runs of a project reach. */
export type NetworkSettings = Pick<Project, 'network' | 'allowed_hosts' | 'presets'>;

/** How work is verified before it is delivered, and what is done about failures. */
export type VerificationSettings = Pick<Project, 'checks' | 'check_on' | 'fix_rounds' | 'review' | 'retries'>;

/** A row of the audit about a project. */
export const projectFact = (project_id: string, action: string, details: Record<string, unknown>): AuditFact => ({
  entity_type: 'project',
  entity_id: project_id,
  project_id,
  action,
  details,
});

export type NewProject = Omit<
  Project,
  | 'number'
  | 'origin_system'
  | 'origin_id'
  | 'required_secrets'
  | 'runs_on'
  | keyof NetworkSettings
  | keyof VerificationSettings
  | 'deleted_at'
  | keyof RecordTimes
>;
