import { Column, Entity, PrimaryColumn } from 'typeorm';

export const autoCommitPolicies = ['off', 'per_turn'] as const;
export type AutoCommit = (typeof autoCommitPolicies)[number];

@Entity('projects')
export class Project {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('text') name!: string;
  @Column('text') slug!: string;
  @Column('text', { nullable: true }) description!: string | null;
  /** Whether what a turn leaves is committed to the branch of its attempt. */
  @Column('text') auto_commit!: AutoCommit;
  /** Of servers before turn_shares, which may still run beside this one; it goes with a later release. */
  @Column('bigint') turn_tag!: string;
  /** The principal whose room it takes; null in rows of older releases. */
  @Column('text', { nullable: true }) stored_by!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
  @Column('timestamptz', { nullable: true }) deleted_at!: Date | null;
}

export type NewProject = Omit<Project, 'number' | 'turn_tag'>;
