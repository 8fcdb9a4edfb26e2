import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What somebody wrote on a pull request: words of others, to be quoted and never obeyed. */
@Entity('pull_request_comments')
export class PullRequestCommentRow {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') pull_request_id!: string;
  @Column('text') forge_id!: string;
  /** What is resolved as a whole; null where it cannot be. */
  @Column('text', { nullable: true }) thread_id!: string | null;
  @Column('text') author!: string;
  @Column('boolean') trusted!: boolean;
  @Column('text', { nullable: true }) path!: string | null;
  @Column('int', { nullable: true }) line!: number | null;
  @Column('text', { nullable: true }) hunk!: string | null;
  @Column('text') body!: string;
  @Column('text', { nullable: true }) url!: string | null;
  @Column('boolean') resolved!: boolean;
  @Column('boolean') outdated!: boolean;
  @Column('timestamptz') created_at!: Date;
}
