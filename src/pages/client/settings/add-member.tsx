import { useId } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Choice, Line, onSubmit, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { ROLES } from '../rights.js';
import type { ProjectRole } from '../types.js';

const KINDS = [
  ['handle', 'A person or an agent known here'],
  ['group', 'A group of the identity provider'],
  ['user_id', 'Somebody who has not signed in yet'],
] as const;
type Kind = (typeof KINDS)[number][0];

const LABELS: Record<Kind, string> = { handle: 'Handle', group: 'Group', user_id: 'User id' };
const HINTS: Record<Kind, string> = {
  handle: 'As it stands in the list of people, for example @ada.',
  group: 'Letter by letter as the identity provider names it, with its slashes: a part of the name gives nothing.',
  user_id: 'As the identity provider, or the program that calls for them, names them.',
};
const EMPTY = { kind: 'handle' as Kind, who: '', role: 'member' as ProjectRole };

/** Adds a person, an agent or a group with a role. */
export function AddMember({ project_id, added }: { project_id: string; added: () => void }) {
  const { fields, change, clear } = useFields(`member:${project_id}`, EMPTY);
  const { kind, role } = fields;
  const who = kind === 'group' ? fields.who : fields.who.trim(); // a group may begin with a space
  const handles = useId();
  const { data } = useResource('workers', () => must(api.GET('/api/workers', { params: { query: { limit: 200 } } })));
  const add = useAction(async () => {
    const body = bodyOf(kind, who, role);
    await must(api.POST('/api/projects/{project_id}/members', { params: { path: { project_id } }, body }));
    clear();
    added();
  }, 'Member added');
  return (
    <form class="card" aria-label="Add a member" onSubmit={onSubmit(() => who && add.run())}>
      <h3>Add a member</h3>
      <Choice label="Who" value={kind} options={KINDS} set={(next) => change({ kind: next })} />
      <Line
        label={LABELS[kind]}
        value={fields.who}
        list={kind === 'handle' ? handles : undefined}
        autocomplete="off"
        set={(next) => change({ who: next })}
      />
      <datalist id={handles}>
        {data?.workers.map(({ handle, name }) => (
          <option key={handle} value={handle}>
            {name}
          </option>
        ))}
      </datalist>
      <p class="quiet">{HINTS[kind]}</p>
      <Choice label="Role" value={role} options={ROLES} set={(next) => change({ role: next })} />
      <div class="bar">
        <button disabled={add.isRunning}>Add</button>
      </div>
      <Refusal error={add.error} />
    </form>
  );
}

function bodyOf(kind: Kind, who: string, role: ProjectRole) {
  if (kind === 'handle') return { handle: who, role };
  return kind === 'group' ? { group: who, role } : { user_id: who, role };
}
