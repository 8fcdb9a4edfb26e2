import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProjectRole } from '../platform/access/scopes.js';
import { RecordTime } from '../platform/database/record-time.js';

@Entity('project_members')
export class ProjectMember {
  @PrimaryColumn('uuid') project_id!: string;
  @PrimaryColumn('uuid') worker_id!: string;
  @Column('text') role!: ProjectRole;
  @RecordTime() joined_at!: Date;
}
