import { Column, Entity, PrimaryColumn } from 'typeorm';

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
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
}

export type NewRepo = Omit<Repo, 'number'>;

/** What was found out about a repository before its row is written. */
export interface ExaminedRepo extends NewRepo {
  /** With all that is secret in it; null for one that is known by its path. */
  given_url: string | null;
}
