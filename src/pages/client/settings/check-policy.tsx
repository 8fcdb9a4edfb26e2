import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Choice, Line, onSubmit, Tick, useFields } from '../parts/fields.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import type { OwnProject } from '../types.js';
import type { SettingProps } from './setting.js';

const POLICIES = [
  ['off', 'Nothing'],
  ['warn', 'To be told what failed'],
  ['block', 'All that are required to have passed'],
] as const;
const MOMENTS = [
  ['turn_end', 'After each turn that changed something'],
  ['delivery', 'Before a delivery'],
  ['request', 'When somebody asks for them'],
] as const;
const FAILURES = [
  ['transient', 'one that passes by itself, as an overloaded model: three times'],
  ['infra', 'a lost runner: once'],
  ['quota', 'a spent quota, once it is reset: five times'],
] as const;

interface PolicyProps extends Pick<SettingProps, 'project' | 'saved'> {
  mayEdit: boolean;
}

/** What a delivery asks of checks, who reviews, and what is tried again. */
export function CheckPolicy({ project, saved, mayEdit }: PolicyProps) {
  const { fields, isChanged, change, clear, save } = usePolicy({ project, saved });
  return (
    <form aria-label="Policy" onSubmit={onSubmit(() => save.run())}>
      <fieldset disabled={!mayEdit}>
        <Choice label="A delivery asks" value={fields.checks} options={POLICIES} set={(checks) => change({ checks })} />
        <Choice label="Checks run" value={fields.check_on} options={MOMENTS} set={(check_on) => change({ check_on })} />
        <Line
          label="Failed checks go back to the agent, at most so many times"
          type="number"
          min={0}
          max={10}
          value={fields.fix_rounds}
          set={(fix_rounds) => change({ fix_rounds })}
        />
        <Reviewer {...{ fields, change }} />
        <fieldset class="ticks">
          <legend>The last message is sent again after</legend>
          {FAILURES.map(([failure, words]) => (
            <Tick key={failure} isOn={fields[failure]} toggle={() => change({ [failure]: !fields[failure] })}>
              {words}
            </Tick>
          ))}
        </fieldset>
      </fieldset>
      {mayEdit && (
        <div class="bar">
          {isChanged && (
            <button type="button" class="plain" onClick={clear}>
              Discard
            </button>
          )}
          <button class="primary" disabled={save.isRunning}>
            Save
          </button>
        </div>
      )}
      <Refusal error={save.error} />
    </form>
  );
}

/** Who looks at what passed its checks. */
function Reviewer({ fields: { executor, variant, rounds }, change }: Pick<Policy, 'fields' | 'change'>) {
  const { data } = useResource('executors', () => must(api.GET('/api/executors')));
  const agents = (data?.executors ?? []).filter(({ supports_mcp }) => supports_mcp).map((one) => one.executor);
  const known = [...new Set([...agents, ...(executor ? [executor] : [])])];
  const variants = data?.executors.find((one) => one.executor === executor)?.variants ?? [];
  return (
    <div class="bar start">
      <Choice
        label="A second agent reviews"
        value={executor}
        options={[['', 'No'], ...known.map((name) => [name, name] as const)]}
        set={(next) => change({ executor: next, variant: '' })}
      />
      {executor && (
        <>
          <Choice
            label="Variant"
            value={variant}
            options={[['', 'Default'], ...variants.map((name) => [name, name] as const)]}
            set={(next) => change({ variant: next })}
          />
          <Line label="Rounds" type="number" min={1} max={5} value={rounds} set={(next) => change({ rounds: next })} />
        </>
      )}
    </div>
  );
}

type Policy = ReturnType<typeof usePolicy>;

function usePolicy({ project, saved }: Pick<SettingProps, 'project' | 'saved'>) {
  const { project_id, checks, check_on, fix_rounds } = project;
  const form = useFields(`checks:${project_id}`, {
    ...{ checks, check_on, fix_rounds: String(fix_rounds) },
    ...reviewOf(project),
    ...project.retries,
  });
  const save = useAction(async () => {
    const body = bodyOf(form.fields);
    saved(await must(api.PUT('/api/projects/{project_id}', { params: { path: { project_id } }, body })));
    form.clear();
  }, 'Policy saved');
  return { ...form, save };
}

const reviewOf = ({ review }: OwnProject) => ({
  executor: review?.executor ?? '',
  variant: review?.variant ?? '',
  rounds: String(review?.rounds ?? 1),
});

/** As the server takes it. */
function bodyOf({ checks, check_on, fix_rounds, executor, variant, rounds, ...retries }: Policy['fields']) {
  const review = executor ? { executor, variant: variant || undefined, rounds: Number(rounds) } : null;
  return { checks, check_on, fix_rounds: Number(fix_rounds), review, retries };
}
