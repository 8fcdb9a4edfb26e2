import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from '../platform/access/scopes.js';
import { RecordTime } from '../platform/database/record-time.js';

/** A program's credential, of which only the digest is kept. */
@Entity('service_tokens')
export class ServiceToken {
  @PrimaryColumn('uuid') id!: string;
  @Column({ type: 'bigint', insert: false, update: false }) number!: string;
  /** Its beginning, which may be shown. */
  @Column('text') public_part!: string;
  @Column('bytea') token_hash!: Buffer;
  @Column('text') name!: string;
  @Column('text', { array: true }) scopes!: Scope[];
  /** Null: every project. */
  @Column('uuid', { array: true, nullable: true }) project_ids!: string[] | null;
  /** Worker it acts as, or null. */
  @Column('uuid', { nullable: true }) worker_id!: string | null;
  @Column('text') created_by!: string;
  @RecordTime() created_at!: Date;
  @Column('timestamptz', { nullable: true }) expires_at!: Date | null;
  @Column('timestamptz', { nullable: true }) revoked_at!: Date | null;
  @Column('timestamptz', { nullable: true }) last_used_at!: Date | null;
}

export type NewServiceToken = Omit<ServiceToken, 'number' | 'created_at'>;
