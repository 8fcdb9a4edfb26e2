import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Avatar } from '../parts/avatar.js';
import { Confirm } from '../parts/confirm.js';
import { Choice } from '../parts/fields.js';
import { Loading, Refusal } from '../parts/notice.js';
import { More, usePages } from '../parts/pages.js';
import { Time } from '../parts/time.js';
import { projectsChanged } from '../projects.js';
import { mayChange, ROLES } from '../rights.js';
import type { Member, ProjectRole } from '../types.js';
import { AddMember } from './add-member.js';
import { Only, type SettingProps } from './setting.js';

/** Who is in a project, by themselves or by a group of the identity provider, and what they may do there. */
export function Members({ project, me }: SettingProps) {
  const { project_id } = project;
  const path = { project_id };
  const { rows, error, reload, more } = usePages(`members:${project_id}`, async (cursor?: number) => {
    const query = { cursor, limit: 200 };
    const page = await must(api.GET('/api/projects/{project_id}/members', { params: { path, query } }));
    return { ...page, rows: page.members };
  });
  const readAgain = () => {
    reload();
    projectsChanged(); // it may have been one's own
  };
  const change = useAction(async (_key: string, member: Member, role: ProjectRole) => {
    await changeRole(project_id, member, role).finally(readAgain);
  }, 'Role changed');
  const remove = useAction(async (_key: string, member: Member) => {
    await removeMember(project_id, member);
    readAgain();
  }, 'Member removed');
  const mayEdit = mayChange(me, project.role, 'owner');
  const owners = rows?.filter(({ role, type }) => role === 'owner' && type !== 'group') ?? [];
  return (
    <>
      <Only least="owner" what="say who is in it" {...{ project, me }} />
      {rows?.length === 0 && (
        <p class="notice">Nobody was added yet, so the project is open to everybody who may sign in.</p>
      )}
      <Refusal error={error ?? change.error ?? remove.error} />
      {!rows && !error && <Loading />}
      <ul class="plain-list" aria-label="Members">
        {rows?.map((member) => (
          <Row
            key={member.worker_id ?? member.name}
            member={member}
            isLastOwner={owners.length === 1 && owners[0] === member}
            mayEdit={mayEdit}
            isBusy={change.isRunning || remove.isRunning}
            change={(role) => change.run(member, role)}
            remove={() => remove.run(member)}
          />
        ))}
      </ul>
      <More more={more} words="Show more members" />
      {mayEdit && <AddMember project_id={project_id} added={readAgain} />}
    </>
  );
}

interface RowProps {
  member: Member;
  isLastOwner: boolean;
  mayEdit: boolean;
  isBusy: boolean;
  change: (role: ProjectRole) => void;
  remove: () => void;
}

function Row({ member, isLastOwner, mayEdit, isBusy, change, remove }: RowProps) {
  const { name, handle, type, role, joined_at } = member;
  return (
    <li class="card row">
      <span class="fact">
        <Avatar name={name} /> <strong>{name}</strong>
      </span>
      <span class="quiet">
        {type === 'group' ? 'group of the identity provider' : handle} · since <Time at={joined_at} />
      </span>
      {!mayEdit && <span class="badge">{role}</span>}
      {mayEdit && isLastOwner && <span class="quiet">the only owner: make somebody else owner first</span>}
      {mayEdit && (
        <>
          <Choice
            isBare
            label={`Role of ${name}`}
            value={role}
            options={ROLES}
            disabled={isBusy || isLastOwner}
            set={change}
          />
          {!isLastOwner && (
            <Confirm words="Remove" of={name} question={`Remove ${name}?`} run={remove} isRunning={isBusy}>
              <p>{type === 'group' ? 'Whoever is in only by this group loses' : 'They lose'} this project at once.</p>
            </Confirm>
          )}
        </>
      )}
    </li>
  );
}

function changeRole(project_id: string, { worker_id, name }: Member, role: ProjectRole): Promise<unknown> {
  if (worker_id === null) {
    const body = { group: name, role };
    return must(api.PATCH('/api/projects/{project_id}/members', { params: { path: { project_id } }, body }));
  }
  const params = { path: { project_id, worker_id } };
  return must(api.PATCH('/api/projects/{project_id}/members/{worker_id}', { params, body: { role } }));
}

function removeMember(project_id: string, { worker_id, name }: Member): Promise<unknown> {
  if (worker_id === null) {
    const params = { path: { project_id }, query: { group: name } };
    return must(api.DELETE('/api/projects/{project_id}/members', { params }));
  }
  return must(
    api.DELETE('/api/projects/{project_id}/members/{worker_id}', { params: { path: { project_id, worker_id } } }),
  );
}
