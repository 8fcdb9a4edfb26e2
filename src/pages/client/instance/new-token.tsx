import { useAction } from '../action.js';
import { api, must } from '../api.js';
import type { Me } from '../frame/session.js';
import { Line, onSubmit, Tick, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { useProjects } from '../projects.js';
import type { Scope } from '../types.js';
import type { Issued } from './shown-once.js';

const MEANING: Record<Scope, string> = {
  read: 'sees projects, tasks and work',
  write: 'changes tasks and projects',
  execute: 'starts, follows up and stops agents',
  approve: 'answers what agents ask',
  deliver: 'merges, pushes and opens pull requests',
  admin: 'administers the server',
  act_as: 'acts in the name of others',
};
const EMPTY = { name: '', scopes: ['read'] as Scope[], project_ids: [] as string[], user_id: '', until: '' };

/** A token with some of one's own rights, in some projects or in all of them. */
export function NewToken({ me, made }: { me: Me; made: (token: Issued) => void }) {
  const { fields, change, clear } = useFields('token', EMPTY);
  const { name, scopes, project_ids, user_id, until } = fields;
  const { data } = useProjects();
  const create = useAction(async () => {
    const token = await must(api.POST('/api/tokens', { body: bodyOf(fields) }));
    clear();
    made(token);
  }, 'Token created');
  const isReady = name.trim() !== '' && scopes.length > 0;
  return (
    <form class="card" aria-label="New token" onSubmit={onSubmit(() => isReady && create.run())}>
      <h3>New token</h3>
      <Line label="What it is for" value={name} maxLength={200} set={(next) => change({ name: next })} />
      <fieldset class="ticks">
        <legend>It may</legend>
        {me.scopes.map((scope) => (
          <Tick key={scope} isOn={scopes.includes(scope)} toggle={() => change({ scopes: toggled(scopes, scope) })}>
            <strong>{scope}</strong>: {MEANING[scope]}
          </Tick>
        ))}
      </fieldset>
      <fieldset class="ticks">
        <legend>In these projects; in every one where none is ticked</legend>
        {data?.projects.map(({ project_id, name: words }) => (
          <Tick
            key={project_id}
            isOn={project_ids.includes(project_id)}
            toggle={() => change({ project_ids: toggled(project_ids, project_id) })}
          >
            {words}
          </Tick>
        ))}
      </fieldset>
      {me.scopes.includes('act_as') && (
        <Line
          label="User id that it acts as"
          value={user_id}
          placeholder="you"
          set={(next) => change({ user_id: next })}
        />
      )}
      <Line label="Good until the end of" type="date" value={until} set={(next) => change({ until: next })} />
      <div class="bar">
        <button class="primary" disabled={create.isRunning || !isReady}>
          Create token
        </button>
      </div>
      <Refusal error={create.error} />
    </form>
  );
}

const toggled = <T,>(all: readonly T[], one: T): T[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one];

const bodyOf = ({ name, scopes, project_ids, user_id, until }: typeof EMPTY) => ({
  name: name.trim(),
  scopes,
  project_ids: project_ids.length > 0 ? project_ids : undefined,
  user_id: user_id.trim() || undefined,
  expires_at: until ? new Date(`${until}T23:59:59`).toISOString() : undefined,
});
