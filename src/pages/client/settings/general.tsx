import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Confirm } from '../parts/confirm.js';
import { Choice, Line, onSubmit, useFields, wordsOf } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { projectsChanged } from '../projects.js';
import { mayChange } from '../rights.js';
import { go, to } from '../routes.js';
import type { OwnProject } from '../types.js';
import { Moving } from './moving.js';
import { Only, type SettingProps } from './setting.js';

const COMMITS = [
  ['off', 'Left uncommitted until they are delivered'],
  ['per_turn', 'Committed after each turn'],
] as const;

function useGeneral({ project, saved }: Pick<SettingProps, 'project' | 'saved'>) {
  const { project_id, name, description, auto_commit } = project;
  const form = useFields(`project:${project_id}`, {
    name,
    description: description ?? '',
    auto_commit,
    runs_on: project.runs_on.join(', '),
  });
  const save = useAction(async () => {
    const { runs_on, ...rest } = form.changed;
    const body = { ...rest, ...(runs_on === undefined ? {} : { runs_on: wordsOf(runs_on) }) };
    saved(await must(api.PUT('/api/projects/{project_id}', { params: { path: { project_id } }, body })));
    form.clear();
  }, 'Settings saved');
  return { ...form, save };
}

/** Name, description, what becomes of changes, and which runners take its runs. */
export function General({ project, me, saved }: SettingProps) {
  const { fields, isChanged, change, clear, save } = useGeneral({ project, saved });
  const mayEdit = mayChange(me, project.role, 'member');
  const mayRoute = mayChange(me, project.role, 'maintainer');
  return (
    <>
      <Only least="member" what="change these" {...{ project, me }} />
      <form onSubmit={onSubmit(() => fields.name.trim() && save.run())}>
        <fieldset disabled={!mayEdit}>
          <Line label="Name" value={fields.name} maxLength={200} set={(next) => change({ name: next })} />
          <label>
            Description
            <textarea
              rows={3}
              value={fields.description}
              onInput={(event) => change({ description: event.currentTarget.value })}
            />
          </label>
          <Choice
            label="Changes of agents are"
            value={fields.auto_commit}
            options={COMMITS}
            set={(next) => change({ auto_commit: next })}
          />
          <Line
            label="Labels that a runner needs"
            value={fields.runs_on}
            placeholder="any runner"
            disabled={!mayRoute}
            set={(next) => change({ runs_on: next })}
          />
        </fieldset>
        {mayEdit && (
          <div class="bar">
            {isChanged && (
              <button type="button" class="plain" onClick={clear}>
                Discard
              </button>
            )}
            <button class="primary" disabled={save.isRunning || !fields.name.trim()}>
              Save
            </button>
          </div>
        )}
        <Refusal error={save.error} />
      </form>
      <Moving {...{ project, me, saved }} />
      {mayChange(me, project.role, 'owner') && <Deletion project={project} />}
    </>
  );
}

function Deletion({ project: { project_id, name } }: { project: OwnProject }) {
  const remove = useAction(async () => {
    await must(api.DELETE('/api/projects/{project_id}', { params: { path: { project_id } } }));
    projectsChanged(project_id);
    go(to.named('projects'));
  }, 'Project deleted');
  return (
    <section aria-label="Deletion">
      <h2>Delete this project</h2>
      <p class="quiet">Its tasks, attempts and worktrees go. What is merged stays in the repositories.</p>
      <Confirm words="Delete project" question={`Delete ${name}?`} run={remove.run} isRunning={remove.isRunning}>
        <p>Its tasks go with it, and that cannot be taken back.</p>
      </Confirm>
      <Refusal error={remove.error} />
    </section>
  );
}
