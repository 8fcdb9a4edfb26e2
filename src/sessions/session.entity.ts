import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActorType } from '../platform/access/principal.js';
import { RecordTime, type RecordTimes } from '../platform/database/record-time.js';

export const sessionRoles = ['author', 'reviewer'] as const;
/** author: works on the attempt. reviewer: has read what the author made, once. */
export type SessionRole = (typeof sessionRoles)[number];

/** One conversation with one coding agent. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') role!: SessionRole;
  @Column('text') executor!: string;
  /** Kept across follow-ups; null is the executor's default. */
  @Column('text', { nullable: true }) variant!: string | null;
  /** The agent's own id of the conversation, to resume it. */
  @Column('text', { nullable: true }) agent_session_id!: string | null;
  @RecordTime() created_at!: Date;
  @RecordTime() updated_at!: Date;
}

export type NewSession = Omit<Session, keyof RecordTimes>;

/** A message that waits for the end of a session's turn, or of those that wait before it. */
@Entity('queued_messages')
export class QueuedMessage {
  @PrimaryColumn({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') id!: string;
  @Column('uuid') session_id!: string;
  @Column('uuid') attempt_id!: string;
  @Column('text') prompt!: string;
  @Column('text', { nullable: true }) variant!: string | null;
  /** Sent now: it runs before the others, and whatever the end of the turn before it is. */
  @Column('boolean') goes_first!: boolean;
  @RecordTime() queued_at!: Date;
  /** Who queued it, for the audit. */
  @Column('uuid', { nullable: true }) queued_by_worker_id!: string | null;
  @Column('text') queued_by!: string;
  @Column('text') queued_by_type!: ActorType;
  /** Whose limits its turn counts against. */
  @Column('text', { nullable: true }) charged_to!: string | null;
  /** Time limit of its turn in seconds, if one was set. */
  @Column('int', { nullable: true }) timeout_secs!: number | null;
}

export type NewMessage = Omit<QueuedMessage, 'number' | 'goes_first' | 'queued_at'>;
