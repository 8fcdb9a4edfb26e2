import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Choice, Line, onSubmit, useFields, wordsOf } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { mayChange } from '../rights.js';
import { Only, type SettingProps } from './setting.js';

const NETWORKS = [
  ['open', 'Every public host'],
  ['listed', 'Listed hosts only'],
  ['none', 'None'],
] as const;

/** What runs of a project reach. */
export function Network({ project, me, saved }: SettingProps) {
  const { project_id, network } = project;
  const { fields, change, clear } = useFields(`network:${project_id}`, {
    network,
    hosts: project.allowed_hosts.join('\n'),
    presets: project.presets.join(', '),
  });
  const save = useAction(async () => {
    const body = {
      network: fields.network,
      allowed_hosts: wordsOf(fields.hosts),
      presets: wordsOf(fields.presets),
    };
    saved(await must(api.PUT('/api/projects/{project_id}', { params: { path: { project_id } }, body })));
    clear();
  }, 'Network saved');
  const mayEdit = mayChange(me, project.role, 'maintainer');
  return (
    <form onSubmit={onSubmit(save.run)}>
      <Only least="maintainer" what="change what runs reach" {...{ project, me }} />
      <fieldset disabled={!mayEdit}>
        <Choice
          label="What runs reach"
          value={fields.network}
          options={NETWORKS}
          set={(next) => change({ network: next })}
        />
        <Line label="Presets" value={fields.presets} set={(presets) => change({ presets })} />
        <label>
          Allowed hosts, one a line
          <textarea
            rows={4}
            value={fields.hosts}
            spellcheck={false}
            placeholder="registry.example.com"
            onInput={(event) => change({ hosts: event.currentTarget.value })}
          />
        </label>
      </fieldset>
      {mayEdit && (
        <div class="bar">
          <button class="primary" disabled={save.isRunning}>
            Save
          </button>
        </div>
      )}
      <Refusal error={save.error} />
    </form>
  );
}
