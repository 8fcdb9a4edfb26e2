import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActorType } from '../platform/access/principal.js';

/** In whose name the latest turn of an attempt was asked for; what follows by itself is theirs. */
@Entity('turn_authors')
export class TurnAuthor {
  @PrimaryColumn('uuid') attempt_id!: string;
  @Column('uuid', { nullable: true }) worker_id!: string | null;
  @Column('text') name!: string;
  @Column('text') type!: ActorType;
  /** Of the identity provider, when they asked. */
  @Column('text', { array: true }) groups!: string[];
  @Column('text') charged_to!: string;
}
