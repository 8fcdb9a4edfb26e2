import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { repoAt } from '../board/first-visit.js';
import { useDraft } from '../parts/draft.js';
import { Loading, Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';

/** The repositories of a project, read when opened. */
export function Repositories({ project_id }: { project_id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Repositories</summary>
      {isOpen && <Listed project_id={project_id} />}
    </details>
  );
}

function Listed({ project_id }: { project_id: string }) {
  const params = { path: { project_id } };
  const { data, error, reload } = useResource(`repos:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}/repos', { params })),
  );
  const [place, setPlace] = useDraft(`repository:${project_id}`);
  const add = useAction(async () => {
    await must(api.POST('/api/projects/{project_id}/repos', { params, body: repoAt(place) }));
    setPlace('');
    reload();
  }, 'Repository added');
  const submit = (event: Event) => {
    event.preventDefault();
    if (place.trim()) add.run();
  };
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  return (
    <>
      <ul class="plain-list">
        {data.repos.map(({ repo_id, repo_name, path, url, default_target_branch }) => (
          <li key={repo_id}>
            <strong>{repo_name}</strong> <code>{default_target_branch}</code>{' '}
            <span class="quiet path">{url ?? path}</span>
          </li>
        ))}
      </ul>
      <form class="bar" onSubmit={submit}>
        <label>
          Path or URL
          <input
            type="text"
            value={place}
            spellcheck={false}
            onInput={(event) => setPlace(event.currentTarget.value)}
          />
        </label>
        <button disabled={add.isRunning}>Add</button>
      </form>
      <Refusal error={add.error} />
    </>
  );
}
