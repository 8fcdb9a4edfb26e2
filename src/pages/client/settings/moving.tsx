import { useAction } from '../action.js';
import { download } from '../api.js';
import { ImportForm } from '../parts/import-form.js';
import { Refusal } from '../parts/notice.js';
import { isAtLeast, mayChange } from '../rights.js';
import { to } from '../routes.js';
import type { SettingProps } from './setting.js';

/** Writes a project down, and brings tasks in, for its maintainers. */
export function Moving({ project, me }: SettingProps) {
  const { project_id, slug, role } = project;
  const save = useAction(() => download(`/api/projects/${project_id}/export`, `${slug}.ndjson`));
  if (!isAtLeast(role, 'maintainer')) return null;
  return (
    <section aria-label="Export and import">
      <h2>Export and import</h2>
      <p class="quiet">
        An export has tasks, thoughts, comments, attempts and messages, a record a line; no logs and no secrets. All of
        it comes in under <a href={to.named('projects')}>Projects</a>, its task lines here.
      </p>
      <button type="button" disabled={save.isRunning} onClick={() => save.run()}>
        Export
      </button>
      <Refusal error={save.error} />
      {mayChange(me, role, 'maintainer') && <ImportForm project_id={project_id} imported={() => undefined} />}
    </section>
  );
}
