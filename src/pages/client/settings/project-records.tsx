import { api, must } from '../api.js';
import { AuditLog } from '../overview/audit-log.js';
import { UsageBy } from '../overview/usage-by.js';
import { usePages } from '../parts/pages.js';
import type { SettingProps } from './setting.js';

const GROUPS = ['executor', 'task', 'worker', 'day'] as const;

/** What runs of a project have used. */
export const ProjectUsage = ({ project }: SettingProps) => <UsageBy groups={GROUPS} project_id={project.project_id} />;

/** Who changed what in a project, for everybody in it. */
export function ProjectAudit({ project: { project_id } }: SettingProps) {
  const path = { project_id };
  const pages = usePages(`project-audit:${project_id}`, async (cursor?: number) => {
    const page = await must(api.GET('/api/projects/{project_id}/audit', { params: { path, query: { cursor } } }));
    return { ...page, rows: page.entries };
  });
  return <AuditLog {...pages} />;
}
