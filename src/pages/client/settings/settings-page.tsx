import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { Me } from '../frame/session.js';
import { lazy } from '../parts/lazy.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Sections } from '../parts/sections.js';
import { useTitle } from '../parts/tab-state.js';
import { projectsChanged, useProject } from '../projects.js';
import { isAtLeast } from '../rights.js';
import { type Place, type Setting, to } from '../routes.js';
import type { OwnProject, ProjectRole } from '../types.js';
import { ApprovalRules } from './approval-rules.js';
import { General } from './general.js';
import { Members } from './members.js';
import { Network } from './network.js';
import { ProjectAudit, ProjectUsage } from './project-records.js';
import { Repositories } from './repositories.js';
import { Secrets } from './secrets.js';
import type { SettingProps } from './setting.js';

const Checks = lazy(() => import('./checks.js').then((file) => file.Checks));

interface SettingView {
  words: string;
  /** The role that sees it. */
  least: ProjectRole;
  View: ComponentType<SettingProps>;
}

const VIEWS: Record<Setting, SettingView> = {
  general: { words: 'General', least: 'viewer', View: General },
  repositories: { words: 'Repositories', least: 'viewer', View: Repositories },
  checks: { words: 'Checks', least: 'viewer', View: Checks },
  members: { words: 'Members', least: 'viewer', View: Members },
  secrets: { words: 'Secrets', least: 'member', View: Secrets },
  network: { words: 'Network', least: 'viewer', View: Network },
  approvals: { words: 'Standing approvals', least: 'member', View: ApprovalRules },
  usage: { words: 'Usage', least: 'viewer', View: ProjectUsage },
  audit: { words: 'Audit log', least: 'viewer', View: ProjectAudit },
};

/** Everything that can be set in a project, as far as one's role in it goes. */
export function SettingsPage({ place, me }: { place: Place; me: Me }) {
  const { project, error, saved } = useSavedProject(place.project);
  const section = place.section as Setting;
  const { words, least, View } = VIEWS[section];
  useTitle(project ? `${words} · ${project.name}` : 'Settings');
  const isSeen = (role: ProjectRole) => project !== null && isAtLeast(project.role, role);
  const shown = (Object.keys(VIEWS) as Setting[]).filter((one) => isSeen(VIEWS[one].least));
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={to.board(place.project)}>{project?.name ?? 'Board'}</a>
      </nav>
      <h1>Settings</h1>
      <Refusal error={error} />
      {!project && !error && <Loading />}
      {project && (
        <Sections
          label="Settings"
          chosen={section}
          sections={shown.map((one) => [one, VIEWS[one].words])}
          addressOf={(one) => to.settings(place.project, one)}
        >
          <h2>{words}</h2>
          {isSeen(least) ? <View {...{ project, me, saved }} /> : <NotSeen words={words} {...{ project, least }} />}
        </Sections>
      )}
    </>
  );
}

const NotSeen = ({ words, least, project }: { words: string; least: ProjectRole; project: OwnProject }) => (
  <p class="notice">
    {words} of a project are shown to whoever is at least {least} in it. You are {project.role}: an owner of{' '}
    {project.name} can change that, under <a href={to.settings(project.project_id, 'members')}>Members</a>.
  </p>
);

/** The project as it was read, or as the latest change has answered. */
function useSavedProject(project_id: string) {
  const { data, error } = useProject(project_id);
  const [answered, setAnswered] = useState<OwnProject | null>(null);
  const isNewer = answered !== null && data !== null && answered.updated_at >= data.updated_at;
  const saved = (project: OwnProject) => {
    setAnswered(project);
    projectsChanged();
  };
  return { project: isNewer ? answered : data, error, saved };
}
