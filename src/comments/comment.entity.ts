import { Column, Entity, PrimaryColumn } from 'typeorm';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';

export const commentSides = ['old', 'new'] as const;
export type CommentSide = (typeof commentSides)[number];

/** open: no agent has it, also after its message was dropped; sent: a message with it waits or runs; answered: that
 *  turn has ended. */
export const commentStates = ['open', 'sent', 'answered'] as const;
export type CommentState = (typeof commentStates)[number];

export const commentAuthors = ['human', 'agent'] as const;
export type CommentAuthor = (typeof commentAuthors)[number];

/** How much it matters to the agent that found it. */
export const severities = ['critical', 'major', 'minor', 'nit'] as const;
export type Severity = (typeof severities)[number];

/** What a person, or an agent that reviewed, says about lines that an attempt has made or removed. */
@Entity('review_comments')
export class Comment {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') author!: string;
  @Column('text') author_type!: CommentAuthor;
  /** Id of the author's worker, or of the principal where it is none. */
  @Column('text') author_id!: string;
  /** Whose stored bytes it counts for. */
  @Column('text') stored_by!: string;
  /** `<repo_name>/<path>` on its side. */
  @Column('text') path!: string;
  @Column('text') side!: CommentSide;
  @Column('int') line!: number;
  @Column('int') end_line!: number;
  /** What stood there, joined by line feeds. */
  @Column('text') lines!: string;
  @Column('text') text!: string;
  /** Null for a person's. */
  @Column('text', { nullable: true }) severity!: Severity | null;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
  @Column('timestamptz', { nullable: true }) sent_at!: Date | null;
  /** Job of the turn that was sent it. */
  @Column('uuid', { nullable: true }) turn_job_id!: string | null;
  /** Number of the waiting message with it. */
  @Column('uuid', { nullable: true }) queued_as!: string | null;
}

/** A comment and what became of it. */
export type StandingComment = Comment & { state: CommentState };

/** How a comment went out: with a turn, or with a message that waits for one. */
export type Sending = { turn_job_id: string; queued_as: null } | { turn_job_id: null; queued_as: string };

export type NewComment = Omit<Comment, 'number' | 'sent_at' | keyof Sending | keyof RecordTimes>;
