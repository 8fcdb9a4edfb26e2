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
  /** In the chain of its task, from 1. */
  @Column('bigint') position!: string;
  /** Who was signed in; `agent_id` is the caller's own statement. */
  @Column('text') recorded_by!: string;
}

/** Head of a task's chain after each record. */
@Entity('thought_heads')
export class ThoughtHead {
  @PrimaryColumn('uuid') task_id!: string;
  @PrimaryColumn('bigint') position!: string;
  @Column('uuid') record_id!: string;
  @Column('text') hash!: string;
}

export type NewThoughtRecord = Omit<ThoughtRecord, 'number'>;
