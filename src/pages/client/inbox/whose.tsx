import { api, must } from '../api.js';
import { InlineText } from '../parts/inline-text.js';
import { useProjects } from '../projects.js';
import { useResource } from '../resource.js';
import { to } from '../routes.js';

/** The task and the project that a question is about, and the way to its attempt. */
export function Whose({ attempt_id }: { attempt_id: string }) {
  const { data } = useResource(`task of ${attempt_id}`, () => taskOf(attempt_id));
  const projects = useProjects();
  if (!data) return null;
  const project = projects.data?.projects.find(({ project_id }) => project_id === data.project_id);
  return (
    <p class="facts">
      <a href={to.attempt(data.project_id ?? '', attempt_id)}>
        <InlineText text={data.title} />
      </a>
      {project && <span class="quiet">{project.name}</span>}
    </p>
  );
}

async function taskOf(attempt_id: string) {
  const { task_id } = await must(api.GET('/api/attempts/{attempt_id}', { params: { path: { attempt_id } } }));
  return must(api.GET('/api/tasks/{task_id}', { params: { path: { task_id } } }));
}
