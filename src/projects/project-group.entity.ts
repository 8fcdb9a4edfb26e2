import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProjectRole } from '../platform/access/scopes.js';
import { RecordTime } from '../platform/database/record-time.js';

/** A group of the identity provider as a member of a project. */
@Entity('project_groups')
export class ProjectGroup {
  @PrimaryColumn('uuid') project_id!: string;
  @PrimaryColumn('text') group_name!: string;
  @Column('text') role!: ProjectRole;
  @RecordTime() joined_at!: Date;
}
