import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { toast } from '../parts/toast.js';
import { Avatar } from '../parts/avatar.js';
import { Confirm } from '../parts/confirm.js';
import { Choice, Line, onSubmit, useFields } from '../parts/fields.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More, usePages } from '../parts/pages.js';
import { Time } from '../parts/time.js';

/** People and agents that are known, newest first. */
export function People() {
  const { rows, error, reload, more } = usePages('people', async (cursor?: number) => {
    const page = await must(api.GET('/api/workers', { params: { query: { cursor } } }));
    return { ...page, rows: page.workers };
  });
  const end = useAction(async (_key: string, worker_id: string) => {
    const { ended } = await must(api.DELETE('/api/sessions-of/{worker_id}', { params: { path: { worker_id } } }));
    toast(ended === 0 ? 'Nobody was signed in' : `Sessions ended: ${ended}`);
  });
  return (
    <>
      <p class="quiet">Whoever signs in is added by itself. What they may do in a project is said in its settings.</p>
      <Refusal error={error ?? end.error} />
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <p class="empty">Nobody has come yet.</p>}
      <ul class="plain-list" aria-label="People">
        {rows?.map(({ worker_id, handle, name, type, user_id, created_at }) => (
          <li class="card row" key={worker_id}>
            <span class="fact">
              <Avatar name={name} /> <strong>{name}</strong> {handle}
            </span>
            {type === 'agent' && <span class="badge">agent</span>}
            <span class="quiet path">
              {user_id && `${user_id} · `}since <Time at={created_at} />
            </span>
            {type === 'human' && (
              <Confirm
                words="Sign out"
                of={name}
                question={`Sign ${name} out everywhere?`}
                run={() => end.run(worker_id)}
                isRunning={end.isRunning}
              >
                <p>Each of their tabs asks for a sign-in at once. Tokens of theirs stay: revoke them under Tokens.</p>
              </Confirm>
            )}
          </li>
        ))}
      </ul>
      <More more={more} />
      <AddPerson added={reload} />
    </>
  );
}

const TYPES = [
  ['human', 'person'],
  ['agent', 'agent'],
] as const;
const EMPTY = { handle: '', name: '', user_id: '', type: 'human' as 'human' | 'agent' };

function AddPerson({ added }: { added: () => void }) {
  const { fields, change, clear } = useFields('person', EMPTY);
  const { handle, name, user_id, type } = fields;
  const add = useAction(async () => {
    await must(api.POST('/api/workers', { body: { handle, name, type, user_id: user_id.trim() || undefined } }));
    clear();
    added();
  }, 'Added');
  return (
    <form class="card" aria-label="Add a person" onSubmit={onSubmit(() => handle.trim() && name.trim() && add.run())}>
      <h3>Add a person or an agent</h3>
      <Choice label="Kind" value={type} options={TYPES} set={(next) => change({ type: next })} />
      <Line label="Name" value={name} maxLength={200} set={(next) => change({ name: next })} />
      <Line label="Handle" value={handle} placeholder="@ada" set={(next) => change({ handle: next })} />
      <Line
        label="User id, where another system names them"
        value={user_id}
        placeholder="May be left empty"
        set={(next) => change({ user_id: next })}
      />
      <div class="bar">
        <button disabled={add.isRunning}>Add</button>
      </div>
      <Refusal error={add.error} />
    </form>
  );
}
