import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Confirm } from '../parts/confirm.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More, usePages } from '../parts/pages.js';
import { mayChange } from '../rights.js';
import type { Repo } from '../types.js';
import { AddRepository } from './add-repository.js';
import { EditRepository } from './edit-repository.js';
import { Only, type SettingProps } from './setting.js';

/** The repositories of a project, with where attempts start and what runs around them. */
export function Repositories({ project, me }: SettingProps) {
  const { project_id } = project;
  const path = { project_id };
  const { rows, error, reload, more } = usePages(`repos:${project_id}`, async (cursor?: number) => {
    const page = await must(api.GET('/api/projects/{project_id}/repos', { params: { path, query: { cursor } } }));
    return { ...page, rows: page.repos };
  });
  const remove = useAction(async (_key: string, { repo_id }: Repo) => {
    await must(api.DELETE('/api/projects/{project_id}/repos/{repo_id}', { params: { path: { project_id, repo_id } } }));
    reload();
  }, 'Repository removed');
  const [edited, setEdited] = useState<Repo | null>(null);
  const mayEdit = mayChange(me, project.role, 'member');
  const mayRoute = mayChange(me, project.role, 'maintainer');
  return (
    <>
      <Only least="member" what="change its repositories" {...{ project, me }} />
      <Refusal error={error ?? remove.error} />
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <p class="empty">There is no repository yet: agents need one to work in.</p>}
      <ul class="plain-list" aria-label="Repositories">
        {rows?.map((repo) => (
          <Row
            key={repo.repo_id}
            {...{ repo, mayEdit }}
            edit={() => setEdited(repo)}
            remove={() => remove.run(repo)}
            isRemoving={remove.isRunning}
          />
        ))}
      </ul>
      <More more={more} />
      {edited && (
        <EditRepository {...{ project_id, mayRoute }} repo={edited} close={() => setEdited(null)} saved={reload} />
      )}
      {mayEdit && <AddRepository {...{ project_id, mayRoute }} added={reload} />}
    </>
  );
}

interface RowProps {
  repo: Repo;
  mayEdit: boolean;
  edit: () => void;
  remove: () => void;
  isRemoving: boolean;
}

function Row({ repo, mayEdit, edit, remove, isRemoving }: RowProps) {
  const { repo_name, default_target_branch, url, path, setup_script, cleanup_script, runs_on } = repo;
  return (
    <li class="card">
      <div class="row">
        <h3>{repo_name}</h3>
        <code>{default_target_branch}</code>
        <span class="quiet path">{url ?? path}</span>
        {mayEdit && (
          <>
            <button type="button" aria-label={`Edit ${repo_name}`} onClick={edit}>
              Edit
            </button>
            <Confirm
              words="Remove"
              of={repo_name}
              question={`Remove ${repo_name}?`}
              run={remove}
              isRunning={isRemoving}
            >
              <p>The repository itself stays as it is. One that attempts have used cannot be removed.</p>
            </Confirm>
          </>
        )}
      </div>
      {setup_script && <Script name="Set-up script" text={setup_script} />}
      {cleanup_script && <Script name="Clean-up script" text={cleanup_script} />}
      {runs_on.length > 0 && <p class="quiet">Runs on {runs_on.join(', ')}</p>}
    </li>
  );
}

const Script = ({ name, text }: { name: string; text: string }) => (
  <details>
    <summary>{name}</summary>
    <pre tabIndex={0}>{text}</pre>
  </details>
);
