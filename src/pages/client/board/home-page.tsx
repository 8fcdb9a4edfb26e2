import { useEffect } from 'preact/hooks';
import { Loading, Refusal } from '../parts/notice.js';
import { useTitle } from '../parts/tab-state.js';
import { lastProject, useProjects } from '../projects.js';
import { go, to } from '../routes.js';
import { FirstVisit } from './first-visit.js';

/** Leads to the board seen last, or helps to create the first one. */
export function HomePage() {
  useTitle('Welcome');
  const { data, error } = useProjects();
  useEffect(() => {
    const last = lastProject();
    const project = data?.projects.find(({ project_id }) => project_id === last) ?? data?.projects[0];
    if (project) go(to.board(project.project_id), { replace: true });
  }, [data]);
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  if (data.projects.length > 0) return <Loading />;
  return (
    <section class="welcome">
      <h1>Hand work to coding agents</h1>
      <ol class="steps">
        <li>Add a repository.</li>
        <li>Make a task.</li>
        <li>Start an executor: DEMO needs no account.</li>
        <li>Watch it work, review the changes, merge them.</li>
      </ol>
      <FirstVisit />
    </section>
  );
}
