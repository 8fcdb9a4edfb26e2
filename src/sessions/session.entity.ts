import { Column, Entity, PrimaryColumn } from 'typeorm';

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
}
