import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person or an agent who owns tasks. */
@Entity('workers')
export class Worker {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  /** `@name`, unique. */
  @Column('text') handle!: string;
  @Column('text') name!: string;
  @Column('text') type!: 'human' | 'agent';
  /** Id of the person or agent in the system that calls. */
  @Column('text', { nullable: true }) user_id!: string | null;
  @Column('timestamptz') created_at!: Date;
  @Column('timestamptz') updated_at!: Date;
}

export type NewWorker = Omit<Worker, 'number'>;
