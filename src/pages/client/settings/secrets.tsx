import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { useDraft } from '../parts/draft.js';
import { Line, onSubmit, Tick } from '../parts/fields.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';
import { mayChange } from '../rights.js';
import type { OwnProject } from '../types.js';
import { RequiredSecrets } from './required-secrets.js';
import { Only, type SettingProps } from './setting.js';

const USES = ['setup', 'checks', 'agent'] as const;
type Use = (typeof USES)[number];

/** The secrets of a project by name. */
export function Secrets({ project, me, saved }: SettingProps) {
  const { project_id } = project;
  const { data, error, reload } = useResource(`secrets:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}/secrets', { params: { path: { project_id } } })),
  );
  const remove = useAction(async (_key: string, name: string) => {
    await must(api.DELETE('/api/projects/{project_id}/secrets/{name}', { params: { path: { project_id, name } } }));
    reload();
  }, 'Secret removed');
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  const mayEdit = mayChange(me, project.role, 'maintainer');
  return (
    <>
      <p class="quiet">A value is never shown again, and is taken out of what runs print.</p>
      <Only least="maintainer" what="set and remove secrets" {...{ project, me }} />
      {data.secrets.length === 0 && <p class="empty">There is no secret yet.</p>}
      <ul class="plain-list">
        {data.secrets.map(({ name, expose, updated_at }) => (
          <li class="card row" key={name}>
            <span>
              <code>{name}</code> for {expose.join(', ')}
            </span>
            <span class="quiet">
              set <Time at={updated_at} />
            </span>
            {mayEdit && (
              <button aria-label={`Remove ${name}`} disabled={remove.isRunning} onClick={() => remove.run(name)}>
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      <Refusal error={remove.error} />
      {mayEdit && <SetSecret project={project} done={reload} />}
      <RequiredSecrets project={project} saved={saved} mayEdit={mayChange(me, project.role, 'member')} />
    </>
  );
}

function SetSecret({ project: { project_id }, done }: { project: OwnProject; done: () => void }) {
  const [name, setName] = useDraft(`secret:${project_id}`); // its value is kept nowhere
  const [value, setValue] = useState('');
  const [expose, setExpose] = useState<Use[]>(['setup', 'checks']);
  const set = useAction(async () => {
    const params = { path: { project_id, name: name.trim() } };
    await must(api.PUT('/api/projects/{project_id}/secrets/{name}', { params, body: { value, expose } }));
    setName('');
    setValue('');
    done();
  }, 'Secret set');
  const toggle = (use: Use) =>
    setExpose((uses) => USES.filter((one) => (one === use ? !uses.includes(one) : uses.includes(one))));
  return (
    <form class="card" aria-label="Set a secret" onSubmit={onSubmit(() => name.trim() && value && set.run())}>
      <h3>Set a secret</h3>
      <Line label="Name" value={name} placeholder="NPM_TOKEN" set={setName} />
      <label>
        Value
        <input
          type="password"
          autocomplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <fieldset class="ticks">
        <legend>For</legend>
        {USES.map((use) => (
          <Tick key={use} isOn={expose.includes(use)} toggle={() => toggle(use)}>
            {use}
          </Tick>
        ))}
      </fieldset>
      <div class="bar">
        <button disabled={set.isRunning}>Set</button>
      </div>
      <Refusal error={set.error} />
    </form>
  );
}
