import { grouped, type Line, refTo, SYSTEM, textOf, timesOf } from './line.js';
import type { Records } from './records.js';
import type { Value } from './source-database.js';

type Attempt = Records['attempts'][number];
type Execution = Records['executions'][number];
type Session = Pick<Records['sessions'][number], 'id' | 'attempt' | 'executor' | 'created_at' | 'updated_at'>;

const REASONS = new Set(['setupscript', 'codingagent', 'cleanupscript']);

/** Makes the line of an attempt, and those of its sessions and turns. */
export function attemptLines(records: Records): (attempt: Attempt) => Line[] {
  const sessions = grouped(records.sessions, 'attempt');
  const executions = grouped(records.executions.filter(isShown), 'session');
  const turns = new Map(records.turns.map((turn) => [turn.execution, turn]));
  const sessionLines = ({ id, attempt, executor, created_at, updated_at }: Session): Line[] => {
    const ran = executions.get(id) ?? [];
    const own = { kind: 'session', system: SYSTEM, external_id: String(id), attempt: refTo(attempt) };
    const lines = ran.map((execution) => turnLine(execution, turns.get(execution.id)));
    return [{ ...own, ...profileOf(executor, ran), ...timesOf({ created_at, updated_at }) }, ...lines];
  };
  const held = heldBy(records);
  return (attempt) => [
    { ...attemptLine(attempt), ...held(attempt) },
    ...(sessions.get(attempt.id) ?? []).flatMap(sessionLines),
  ];
}

/** Previews of the page are no turns, and a retry has taken the place of what it dropped. */
const isShown = ({ reason, dropped }: Execution): boolean => REASONS.has(textOf(reason)) && !dropped;

const attemptLine = ({ id, task, branch, folder, created_at, updated_at }: Attempt): Line => ({
  kind: 'attempt',
  system: SYSTEM,
  external_id: String(id),
  task: refTo(task),
  branch: branch || textOf(folder).replace(/^.*\/(?=[^/])/, '') || String(id),
  ...timesOf({ created_at, updated_at }),
});

/** The repositories of an attempt, and how it was delivered. */
function heldBy(records: Records): (attempt: Attempt) => object {
  const used = grouped(records.attemptRepositories, 'attempt');
  const merges = grouped(records.merges, 'attempt');
  const pulls = grouped(records.pullRequests, 'attempt');
  const projectOfTask = new Map(records.tasks.map(({ id, project }) => [id, project]));
  const ofProject = grouped(records.repositories, 'project');
  return (attempt) => {
    const own = used.get(attempt.id) ?? soleRepository(attempt, ofProject.get(projectOfTask.get(attempt.task) ?? null));
    const repositories = own.map(({ repository, target }) => ({
      repository: refTo(repository),
      target_branch: target,
    }));
    const done = [...(merges.get(attempt.id) ?? []), ...mergedAtFirst(attempt)];
    return { repositories, ...deliveryOf(done, pulls.get(attempt.id) ?? [], repositories.length) };
  };
}

/** At first a project was one repository, and an attempt named the branch that it began from. */
const soleRepository = ({ target }: Attempt, repositories: Records['repositories'] = []) =>
  repositories.length === 1 && target ? [{ repository: repositories[0]!.id, target }] : [];

/** At first an attempt was merged once, and its row said so. */
function mergedAtFirst({ merge_commit, pr_url, pr_status }: Attempt) {
  const direct = merge_commit ? [{ repository: null, type: 'direct', url: null, status: null }] : [];
  return [...direct, ...(pr_url ? [{ repository: null, type: 'pr', url: pr_url, status: pr_status }] : [])];
}

type Merge = Omit<Records['merges'][number], 'attempt'>;

/** What has landed counts before what is offered. */
function deliveryOf(merges: Merge[], tracked: { url: Value; status: Value }[], repositories: number): object {
  const landed = new Set(merges.filter(({ type }) => type === 'direct').map(({ repository }) => repository));
  const pull = [...merges.filter(({ type }) => type === 'pr'), ...tracked].at(-1);
  const states: Record<string, string> = { merged: 'pr_merged', closed: 'pr_closed' };
  const offered = pull ? (states[textOf(pull.status)] ?? 'pr_open') : 'none';
  const isPart = landed.size < repositories;
  return {
    delivery_state: landed.size === 0 ? offered : isPart ? 'partly_delivered' : 'merged',
    ...(pull?.url && { pr_url: pull.url }),
  };
}

function turnLine(execution: Execution, said?: Records['turns'][number]): Line {
  const { id, session, reason, status, exit_code, started_at, completed_at, created_at, updated_at } = execution;
  const prompt = said?.prompt ?? (reason === 'codingagent' ? actionOf(execution).prompt : undefined);
  return {
    kind: 'turn',
    system: SYSTEM,
    external_id: String(id),
    session: refTo(session),
    status,
    run_reason: reason,
    ...(prompt && { prompt }),
    ...(said?.summary && { final_message: said.summary }),
    ...(exit_code !== null && { exit_code }),
    ...timesOf({ started_at, completed_at, created_at, updated_at }),
  };
}

interface Action {
  prompt?: string;
  executor_profile_id?: { executor?: string; variant?: string | null };
}

function actionOf({ action }: Execution): Action {
  const { typ } = JSON.parse(textOf(action) || '{}') as { typ?: Action };
  return typ ?? {};
}

/** Executors were written in three ways: `claude-code`, `CLAUDE_CODE:PLAN`, and in the action of a run. */
function profileOf(executor: Value, ran: Execution[]): { executor: string; variant?: string } {
  const acted = ran.map((execution) => actionOf(execution).executor_profile_id).find((profile) => profile?.executor);
  const [name, variant] = textOf(executor).replaceAll('"', '').split(':');
  const chosen = { name: name || acted?.executor || 'UNKNOWN', variant: variant ?? acted?.variant ?? 'DEFAULT' };
  const screaming = chosen.name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();
  return {
    executor: screaming === 'CLAUDE' ? 'CLAUDE_CODE' : screaming,
    ...(chosen.variant !== 'DEFAULT' && { variant: chosen.variant }),
  };
}
