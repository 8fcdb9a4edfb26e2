import type { Me } from '../frame/session.js';
import { isAtLeast, mayChange } from '../rights.js';
import type { OwnProject, ProjectRole } from '../types.js';

/** What each view of the settings gets. */
export interface SettingProps {
  project: OwnProject;
  me: Me;
  /** Shows what the server has answered to a change. */
  saved: (project: OwnProject) => void;
}

interface OnlyProps extends Pick<SettingProps, 'project' | 'me'> {
  /** The role that may. */
  least: ProjectRole;
  what: string;
}

const WHO: Record<ProjectRole, string> = {
  viewer: 'Everybody in the project',
  member: 'Members of the project and above',
  maintainer: 'Maintainers and owners of the project',
  owner: 'Owners of the project',
};

/** Why there is nothing to press; nothing where there is. */
export function Only({ project, me, least, what }: OnlyProps) {
  if (mayChange(me, project.role, least)) return null;
  const why = isAtLeast(project.role, least) ? 'your token may only read' : `here you are ${project.role}`;
  return (
    <p class="quiet">
      {WHO[least]} {what}; {why}.
    </p>
  );
}
