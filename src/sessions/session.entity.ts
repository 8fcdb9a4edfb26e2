import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActorType } from '../platform/access/principal.js';

/** One conversation with one coding agent. */
@Entity('sessions')
export class Session {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid') attempt_id!: string;
  @Column('uuid') project_id!: string;
  @Column('text') executor!: string;
  /** Kept across follow-ups; null is the executor's default. */
  @Column('text', { nullable: true }) variant!: string | null;
  /** The agent's own id of the conversation, to resume it. */
  @Column('text', { nullable: true }) agent_session_id!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
}

/** The one message that waits for the end of a session's turn. */
@Entity('queued_messages')
export class QueuedMessage {
  @PrimaryColumn('uuid') session_id!: string;
  @Column('uuid') attempt_id!: string;
  @Column('text') prompt!: string;
  @Column('text', { nullable: true }) variant!: string | null;
  @Column('timestamptz') queued_at!: Date;
  /** Who queued it, as the audit names them; null in messages of older servers. */
  @Column('uuid', { nullable: true }) queued_by_worker_id!: string | null;
  @Column('text', { nullable: true }) queued_by!: string | null;
  @Column('text', { nullable: true }) queued_by_type!: ActorType | null;
  /** Whose limits its turn counts for. */
  @Column('text', { nullable: true }) charged_to!: string | null;
  /** Seconds its turn may take, where a limit was set. */
  @Column('int', { nullable: true }) timeout_secs!: number | null;
}
