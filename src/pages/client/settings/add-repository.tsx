import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { repoAt } from '../board/first-visit.js';
import { Line, onSubmit, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { bodyOf, RepositoryFields } from './repository-fields.js';

const EMPTY = { place: '', name: '', branch: '', setup: '', cleanup: '', runs_on: '' };

interface AddProps {
  project_id: string;
  mayRoute: boolean;
  added: () => void;
}

/** A further repository; all but its place may be left empty. */
export function AddRepository({ project_id, mayRoute, added }: AddProps) {
  const { fields, changed, change, clear } = useFields(`repository:${project_id}`, EMPTY);
  const { place, name } = fields;
  const add = useAction(async () => {
    const body = { ...repoAt(place), name: name.trim() || undefined, ...bodyOf(changed) };
    await must(api.POST('/api/projects/{project_id}/repos', { params: { path: { project_id } }, body }));
    clear();
    added();
  }, 'Repository added');
  return (
    <form class="card" aria-label="Add a repository" onSubmit={onSubmit(() => place.trim() && add.run())}>
      <h3>Add a repository</h3>
      <Line
        label="Path or URL"
        value={place}
        placeholder="/home/ada/shop or https://git.example.com/shop.git"
        set={(next) => change({ place: next })}
      />
      <details>
        <summary>Name, branch and scripts</summary>
        <Line
          label="Name of the repository"
          value={name}
          placeholder="that of its folder"
          set={(next) => change({ name: next })}
        />
        <RepositoryFields {...{ fields, change, mayRoute }} />
      </details>
      <div class="bar">
        <button disabled={add.isRunning}>Add</button>
      </div>
      <Refusal error={add.error} />
    </form>
  );
}
