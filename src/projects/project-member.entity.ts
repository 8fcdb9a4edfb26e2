import { Column, Entity, PrimaryColumn } from 'typeorm';

export type MemberRole = 'owner' | 'member';

@Entity('project_members')
export class ProjectMember {
  @PrimaryColumn('uuid') project_id!: string;
  @PrimaryColumn('uuid') worker_id!: string;
  @Column('text') role!: MemberRole;
  @Column('timestamptz') joined_at!: Date;
}
