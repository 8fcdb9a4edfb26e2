import { Column, Entity, PrimaryColumn } from 'typeorm';

/** preparing: the worktree is not there yet; lost: it could not be made, whoever needs it tries again;
 *  removed: housekeeping took it, it can be made again. */
export type WorkspaceState = 'preparing' | 'ready' | 'lost' | 'removed';

@Entity('attempts')
export class Attempt {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') task_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') branch!: string;
  @Column('text') workspace_state!: WorkspaceState;
  /** The runner that holds the worktree; null until one took it. */
  @Column('text', { nullable: true }) runner_id!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
}

/** The number is the database's to give. */
export type NewAttempt = Omit<Attempt, 'number'>;

@Entity('attempt_repos')
export class AttemptRepo {
  @PrimaryColumn('uuid') attempt_id!: string;
  @PrimaryColumn('uuid') repo_id!: string;
  @Column('int') position!: number;
  @Column('text') repo_name!: string;
  @Column('text') repo_path!: string;
  @Column('text') target_branch!: string;
  @Column('text', { nullable: true }) base_commit!: string | null;
}
