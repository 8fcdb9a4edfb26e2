import { UsageBy } from '../overview/usage-by.js';
import type { SettingProps } from './settings-page.js';

const GROUPS = ['executor', 'task', 'worker', 'day'] as const;

/** What runs of a project have used. */
export const ProjectUsage = ({ project }: SettingProps) => <UsageBy groups={GROUPS} project_id={project.project_id} />;
