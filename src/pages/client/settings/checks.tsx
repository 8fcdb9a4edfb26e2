import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { mayChange } from '../rights.js';
import { CheckPolicy } from './check-policy.js';
import { RepoChecks } from './repo-checks.js';
import { Only, type SettingProps } from './setting.js';

/** What proves the work of agents before it is delivered, and what is done by itself where it fails. */
export function Checks({ project, me, saved }: SettingProps) {
  const { project_id } = project;
  const params = { path: { project_id }, query: { limit: 200 } };
  const { data, error } = useResource(`repos-checked:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}/repos', { params })),
  );
  const mayEdit = mayChange(me, project.role, 'maintainer');
  return (
    <>
      <Only least="maintainer" what="change checks" {...{ project, me }} />
      <CheckPolicy {...{ project, saved, mayEdit }} />
      {!data && (error ? <Refusal error={error} /> : <Loading />)}
      {data?.repos.map((repo) => (
        <RepoChecks key={repo.repo_id} {...{ project_id, repo, mayEdit }} />
      ))}
    </>
  );
}
