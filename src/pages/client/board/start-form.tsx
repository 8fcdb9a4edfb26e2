import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../action.js';
import { api, must } from '../api.js';
import { Refusal } from '../parts/notice.js';
import { useResource } from '../resource.js';
import { go, to } from '../routes.js';
import type { Executor, Repo } from '../types.js';

const KEY = 'executor';

export interface Start {
  executors: Executor[];
  executor: string;
  setExecutor: (executor: string) => void;
  variant: string;
  setVariant: (variant: string) => void;
  repos: Repo[];
  /** Where the work begins and where it is to be merged; empty for that of each repository. */
  branch: string;
  setBranch: (branch: string) => void;
}

/** The executor chosen last, if it still exists. */
export function useStart(project_id: string): Start {
  const { data } = useResource('executors', () => must(api.GET('/api/executors')));
  const repos = useRepos(project_id);
  const [branch, setBranch] = useState('');
  const [executor, setExecutor] = useState('');
  const [variant, setVariant] = useState('');
  const executors = data?.executors.filter(({ is_available }) => is_available) ?? [];
  useEffect(() => {
    const last = localStorage.getItem(KEY) ?? 'DEMO';
    const found = executors.find((one) => one.executor === last) ?? executors[0];
    if (found) setExecutor(found.executor);
  }, [data]);
  const choose = (next: string) => {
    localStorage.setItem(KEY, next);
    setExecutor(next);
    setVariant('');
  };
  return { executors, executor, setExecutor: choose, variant, setVariant, repos, branch, setBranch };
}

function useRepos(project_id: string): Repo[] {
  const params = { path: { project_id } };
  const { data } = useResource(`repos:${project_id}`, () =>
    must(api.GET('/api/projects/{project_id}/repos', { params })),
  );
  return data?.repos ?? [];
}

export async function startAttempt(task_id: string, start: Start, key: string): Promise<string> {
  const params = { path: { task_id }, header: { 'Idempotency-Key': key } };
  const { executor, variant, branch, repos } = start;
  const target_branch = branch.trim();
  // listed newest first, worked in as they were added
  const chosen = target_branch ? repos.map(({ repo_id }) => ({ repo_id, target_branch })).reverse() : undefined;
  const body = { executor, variant: variant || undefined, repos: chosen };
  const { attempt_id } = await must(api.POST('/api/tasks/{task_id}/attempts', { params, body }));
  return attempt_id;
}

export function StartFields({ start }: { start: Start }) {
  const variants = start.executors.find(({ executor }) => executor === start.executor)?.variants ?? [];
  return (
    <div class="bar">
      <label>
        Executor
        <select value={start.executor} onChange={(event) => start.setExecutor(event.currentTarget.value)}>
          {start.executors.map(({ executor }) => (
            <option key={executor}>{executor}</option>
          ))}
        </select>
      </label>
      {variants.length > 0 && (
        <label>
          Variant
          <select value={start.variant} onChange={(event) => start.setVariant(event.currentTarget.value)}>
            <option value="">Default</option>
            {variants.map((variant) => (
              <option key={variant}>{variant}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        Base branch
        <input
          type="text"
          value={start.branch}
          placeholder={[...new Set(start.repos.map((repo) => repo.default_target_branch))].join(', ')}
          title="The work begins there, and is merged there."
          spellcheck={false}
          onInput={(event) => start.setBranch(event.currentTarget.value)}
        />
      </label>
    </div>
  );
}

/** Another attempt at a task. */
export function StartForm({ task_id, project_id }: { task_id: string; project_id: string }) {
  const start = useStart(project_id);
  const run = useAction(async (key) => go(to.attempt(project_id, await startAttempt(task_id, start, key))), 'Started');
  const submit = (event: Event) => {
    event.preventDefault();
    run.run();
  };
  return (
    <form class="card bar start" aria-label="Start an attempt" onSubmit={submit}>
      <StartFields start={start} />
      <button class="primary" disabled={!start.executor || run.isRunning}>
        Start
      </button>
      <Refusal error={run.error} />
    </form>
  );
}
