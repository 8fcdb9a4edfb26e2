import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Dialog } from '../parts/dialog.js';
import { onSubmit, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import type { Repo } from '../types.js';
import { bodyOf, RepositoryFields, settingsOf } from './repository-fields.js';

interface EditProps {
  project_id: string;
  repo: Repo;
  mayRoute: boolean;
  close: () => void;
  saved: () => void;
}

/** Changes how attempts begin in a repository from now on. */
export function EditRepository({ project_id, repo, mayRoute, close, saved }: EditProps) {
  const { repo_id, repo_name } = repo;
  const { fields, changed, isChanged, change, clear } = useFields(`repository:${repo_id}`, settingsOf(repo));
  const end = () => {
    clear();
    close();
  };
  const save = useAction(async () => {
    const params = { path: { project_id, repo_id } };
    await must(api.PATCH('/api/projects/{project_id}/repos/{repo_id}', { params, body: bodyOf(changed) }));
    end();
    saved();
  }, 'Repository saved');
  return (
    <Dialog title={`Settings of ${repo_name}`} close={close}>
      <form onSubmit={onSubmit(() => save.run())}>
        <RepositoryFields {...{ fields, change, mayRoute }} />
        <p class="quiet">Attempts that have begun keep their branches.</p>
        <div class="bar">
          {isChanged && (
            <button type="button" class="plain" onClick={end}>
              Discard
            </button>
          )}
          <button class="primary" disabled={save.isRunning}>
            Save
          </button>
        </div>
        <Refusal error={save.error} />
      </form>
    </Dialog>
  );
}
