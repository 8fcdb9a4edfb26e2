import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { useDraft } from '../parts/draft.js';
import { Loading, Refusal } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { useResource } from '../resource.js';

const USES = ['setup', 'checks', 'agent'] as const;
type Use = (typeof USES)[number];

/** The secrets of a project by name, read when opened. */
export function Secrets({ project_id }: { project_id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Secrets</summary>
      {isOpen && <Listed project_id={project_id} />}
    </details>
  );
}

function Listed({ project_id }: { project_id: string }) {
  const { data, error, reload } = useResource(`secrets:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}/secrets', { params: { path: { project_id } } })),
  );
  const remove = useAction(async (_key: string, name: string) => {
    await must(api.DELETE('/api/projects/{project_id}/secrets/{name}', { params: { path: { project_id, name } } }));
    reload();
  }, 'Secret removed');
  if (!data) return error ? <Refusal error={error} /> : <Loading />;
  return (
    <>
      <ul class="plain-list">
        {data.secrets.map(({ name, expose, updated_at }) => (
          <li key={name}>
            <code>{name}</code> for {expose.join(', ')}{' '}
            <span class="quiet">
              set <Time at={updated_at} />
            </span>{' '}
            <button aria-label={`Remove ${name}`} disabled={remove.isRunning} onClick={() => remove.run(name)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <Refusal error={remove.error} />
      <SetSecret project_id={project_id} done={reload} />
    </>
  );
}

function SetSecret({ project_id, done }: { project_id: string; done: () => void }) {
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
  const submit = (event: Event) => {
    event.preventDefault();
    if (name.trim() && value) set.run();
  };
  const toggle = (use: Use) =>
    setExpose((uses) => USES.filter((one) => (one === use ? !uses.includes(one) : uses.includes(one))));
  return (
    <form class="bar" onSubmit={submit}>
      <label>
        Name
        <input type="text" value={name} spellcheck={false} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        Value
        <input
          type="password"
          autocomplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      {USES.map((use) => (
        <label key={use}>
          <input type="checkbox" checked={expose.includes(use)} onChange={() => toggle(use)} /> {use}
        </label>
      ))}
      <button disabled={set.isRunning}>Set</button>
      <Refusal error={set.error} />
    </form>
  );
}
