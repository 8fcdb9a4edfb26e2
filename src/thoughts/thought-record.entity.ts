import { Column, Entity, PrimaryColumn } from 'typeorm';

export const thoughtTypes = ['plan', 'analysis', 'decision', 'reflection'] as const;
export type ThoughtType = (typeof thoughtTypes)[number];

/** What a worker thought, decided or learnt about a task; chained by hash, never changed. */
@Entity('thought_records')
export class ThoughtRecord {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  @Column('uuid') task_id!: string;
  @Column('text') type!: ThoughtType;
  @Column('text') agent_id!: string;
  @Column('text') content!: string;
  @Column('text', { nullable: true }) session_id!: string | null;
  /** As text, exactly as it was hashed. */
  @Column('text') timestamp!: string;
  @Column('text') prev_hash!: string;
  @Column('text') hash!: string;
  /** Which fields the hash covers. */
  @Column('smallint') version!: number;
  /** Its place in the chain of its task, from 1; null in version 1. */
  @Column({ type: 'bigint', nullable: true }) position!: string | null;
  /** The principal who wrote it; null in version 1. `agent_id` is what the caller says. */
  @Column('text', { nullable: true }) recorded_by!: string | null;
}

/** The end of a task's chain as it was once a record had been added. */
@Entity('thought_heads')
export class ThoughtHead {
  @PrimaryColumn('uuid') task_id!: string;
  @PrimaryColumn('bigint') position!: string;
  @Column('uuid') record_id!: string;
  @Column('text') hash!: string;
}

export type NewThoughtRecord = Omit<ThoughtRecord, 'number'>;
