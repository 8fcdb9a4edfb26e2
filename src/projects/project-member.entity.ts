import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProjectRole } from '../platform/access/scopes.js';

@Entity('project_members')
export class ProjectMember {
  @PrimaryColumn('uuid') project_id!: string;
  @PrimaryColumn('uuid') worker_id!: string;
  @Column('text') role!: ProjectRole;
  @Column('timestamptz') joined_at!: Date;
}
