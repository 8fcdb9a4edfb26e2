import { useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Loading, Refusal } from '../parts/notice.js';
import { duration } from '../parts/time.js';
import { useResource } from '../resource.js';
import type { CheckDefinition, Repo } from '../types.js';
import { EditCheck } from './edit-check.js';

interface RepoProps {
  project_id: string;
  repo: Repo;
  mayEdit: boolean;
}

/** The checks of one repository, in the order in which they run. */
export function RepoChecks({ project_id, repo: { repo_id, repo_name }, mayEdit }: RepoProps) {
  const { checks, error, put } = useChecks(project_id, repo_id);
  const [edited, setEdited] = useState<number | null>(null);
  const save = useAction(async (_key: string, next: CheckDefinition[]) => put(next), 'Checks saved');
  const close = () => setEdited(null);
  return (
    <section aria-label={`Checks of ${repo_name}`}>
      <h3>Checks of {repo_name}</h3>
      {!checks && (error ? <Refusal error={error} /> : <Loading />)}
      {checks?.length === 0 && <p class="empty">Nothing is checked here yet.</p>}
      <ol class="plain-list">
        {checks?.map((check, at) => (
          <Row key={check.name} check={check}>
            {mayEdit && (
              <Buttons {...{ checks, at }} isBusy={save.isRunning} save={save.run} edit={() => setEdited(at)} />
            )}
          </Row>
        ))}
      </ol>
      <Refusal error={save.error} />
      {mayEdit && checks && (
        <button type="button" aria-label={`Add a check to ${repo_name}`} onClick={() => setEdited(checks.length)}>
          Add a check
        </button>
      )}
      {checks && edited !== null && (
        <EditCheck
          form={`check:${repo_id}:${checks[edited]?.name ?? ''}`}
          check={checks[edited]}
          put={(check) => put(checks.toSpliced(edited, 1, check))}
          close={close}
        />
      )}
    </section>
  );
}

/** All of a repository are set at once, so that their order and version are one thing. */
function useChecks(project_id: string, repo_id: string) {
  const params = { path: { project_id, repo_id } };
  const path = '/api/projects/{project_id}/repos/{repo_id}/checks';
  const { data, error, reload } = useResource(`repo-checks:${repo_id}`, () => must(api.GET(path, { params })));
  const put = async (checks: CheckDefinition[]) => {
    await must(api.PUT(path, { params, body: { checks } }));
    reload();
  };
  return { checks: data?.checks, error, put };
}

function Row({ check, children }: { check: CheckDefinition; children: preact.ComponentChildren }) {
  const { name, command, timeout_secs, required, network, paths, rerun_on_failure } = check;
  const facts = [
    required ? 'required' : 'not required',
    `at most ${duration(timeout_secs * 1_000)}`,
    network === 'none' && 'no network',
    rerun_on_failure && 'run again where it fails',
    paths?.length && `where ${paths.join(', ')} changed`,
  ];
  return (
    <li class="card" aria-label={name}>
      <div class="row">
        <h4>{name}</h4>
        {children}
      </div>
      <pre tabIndex={0}>{command}</pre>
      <p class="quiet">{facts.filter(Boolean).join(' · ')}</p>
    </li>
  );
}

interface ButtonsProps {
  checks: CheckDefinition[];
  at: number;
  isBusy: boolean;
  save: (checks: CheckDefinition[]) => void;
  edit: () => void;
}

function Buttons({ checks, at, isBusy, save, edit }: ButtonsProps) {
  const check = checks[at]!;
  const without = checks.toSpliced(at, 1);
  const move = (to: number) => save(without.toSpliced(to, 0, check));
  const buttons = [
    ['Edit', edit, false],
    ['Earlier', () => move(at - 1), at === 0],
    ['Later', () => move(at + 1), at === without.length],
    ['Remove', () => save(without), false],
  ] as const;
  return buttons.map(([words, act, isOff]) => (
    <button key={words} type="button" aria-label={`${words}: ${check.name}`} disabled={isBusy || isOff} onClick={act}>
      {words}
    </button>
  ));
}
