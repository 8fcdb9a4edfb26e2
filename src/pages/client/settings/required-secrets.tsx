import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Line, onSubmit, useFields, wordsOf } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import type { SettingProps } from './setting.js';

interface RequiredProps extends Pick<SettingProps, 'project' | 'saved'> {
  mayEdit: boolean;
}

/** Secrets without which no run begins. */
export function RequiredSecrets({ project: { project_id, required_secrets }, saved, mayEdit }: RequiredProps) {
  const { fields, change, clear } = useFields(`required-secrets:${project_id}`, { names: required_secrets.join(', ') });
  const save = useAction(async () => {
    const body = { required_secrets: wordsOf(fields.names) };
    saved(await must(api.PUT('/api/projects/{project_id}', { params: { path: { project_id } }, body })));
    clear();
  }, 'Required secrets saved');
  if (!mayEdit) return required_secrets.length > 0 && <p>No run begins without {required_secrets.join(', ')}.</p>;
  return (
    <form class="card" aria-label="Required secrets" onSubmit={onSubmit(save.run)}>
      <Line
        label="No run begins without"
        value={fields.names}
        placeholder="nothing is required"
        set={(names) => change({ names })}
      />
      <div class="bar">
        <button disabled={save.isRunning}>Save</button>
      </div>
      <Refusal error={save.error} />
    </form>
  );
}
