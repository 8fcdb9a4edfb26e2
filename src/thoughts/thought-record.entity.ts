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
}

export type NewThoughtRecord = Omit<ThoughtRecord, 'number'>;
