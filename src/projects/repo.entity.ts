import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';

@Entity('repos')
export class Repo {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') project_id!: string;
  @Column('text') name!: string;
  @Column('text') path!: string;
  @Column('text', { nullable: true }) url!: string | null;
  @Column('text') default_target_branch!: string;
  @Column('text', { nullable: true }) setup_script!: string | null;
  @Column('text', { nullable: true }) cleanup_script!: string | null;
  /** Labels that the runners of its turns have, sorted. */
  @Column('text', { array: true }) runs_on!: string[];
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
}

export type NewRepo = Omit<Repo, 'number' | keyof RecordTimes>;

/** What can be changed about a repository. */
export type RepoSettings = Pick<Repo, 'default_target_branch' | 'setup_script' | 'cleanup_script' | 'runs_on'>;

/** What was found about a repository before its row is written. */
export interface ExaminedRepo extends NewRepo {
  /** Including secrets; null if it was added by path. */
  given_url: string | null;
}
