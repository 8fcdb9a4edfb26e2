import { FirstVisit } from '../board/first-visit.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { useProjects } from '../projects.js';
import { to } from '../routes.js';
import { Network } from './network.js';
import { Repositories } from './repositories.js';
import { Secrets } from './secrets.js';

export function ProjectsPage() {
  useTitle('Projects');
  const { data, error } = useProjects();
  return (
    <>
      <h1>Projects</h1>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      <div class="cards">
        {data?.projects.map((project) => (
          <article class="card" key={project.project_id}>
            <h2>
              <a href={to.board(project.project_id)}>{project.name}</a>
            </h2>
            {project.description && <p>{project.description}</p>}
            <Repositories project_id={project.project_id} />
            <Secrets project_id={project.project_id} />
            <Network project={project} />
            <p class="quiet">
              changed <Time at={project.updated_at} />
            </p>
          </article>
        ))}
      </div>
      <h2>Add a project</h2>
      <FirstVisit />
    </>
  );
}
