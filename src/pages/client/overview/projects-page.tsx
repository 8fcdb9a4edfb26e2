import { FirstVisit } from '../board/first-visit.js';
import { ImportForm } from '../parts/import-form.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useTitle } from '../parts/tab-state.js';
import { projectsChanged, useProjects } from '../projects.js';
import { type Setting, to } from '../routes.js';

/** What is looked for most; the others are beside them there. */
const SETTINGS: readonly (readonly [Setting, string])[] = [
  ['repositories', 'Repositories'],
  ['members', 'Members'],
  ['secrets', 'Secrets'],
  ['network', 'Network'],
];

export function ProjectsPage() {
  useTitle('Projects');
  const { data, error } = useProjects();
  return (
    <>
      <h1>Projects</h1>
      <Refusal error={error} />
      {!data && !error && <Loading />}
      <div class="cards">
        {data?.projects.map(({ project_id, name, description, updated_at }) => (
          <article class="card" key={project_id}>
            <h2>
              <a href={to.board(project_id)}>{name}</a>
            </h2>
            {description && <p>{description}</p>}
            <nav class="ways" aria-label={`Settings of ${name}`}>
              <a href={to.settings(project_id)}>Settings</a>
              {SETTINGS.map(([section, words]) => (
                <a key={section} href={to.settings(project_id, section)}>
                  {words}
                </a>
              ))}
            </nav>
            <p class="quiet">
              changed <Time at={updated_at} />
            </p>
          </article>
        ))}
      </div>
      <h2>Add a project</h2>
      <FirstVisit />
      <h2>Import projects</h2>
      <ImportForm imported={() => projectsChanged()} />
    </>
  );
}
