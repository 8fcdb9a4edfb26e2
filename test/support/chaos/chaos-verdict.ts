import { QUEUE_SCHEMA } from '../../../src/cluster/job-queues.js';
import { passKeptDay } from '../deleted-tasks.js';
import { eventually, processesOfRun } from '../eventually.js';
import type { Json } from '../mcp-client.js';
import type { ChaosCluster } from './chaos-cluster.js';
import { type ChaosRun, linesIn, type RunGround } from './chaos-runs.js';

export type Verdict = Record<string, string[]>;

interface Turn {
  execution_id: string;
  attempt_id: string;
  status: string;
  failure_summary: string | null;
  ends: number;
}

const LIST_TURNS = `
  SELECT e.id AS execution_id, e.attempt_id, e.status, e.failure_summary, (
    SELECT count(*)::int FROM log_chunks c, jsonb_array_elements(c.entries) entry
    WHERE c.attempt_id = e.attempt_id AND c.channel = 'events' AND c.execution_id = e.id
      AND entry.value ->> 'type' = 'state'
      AND entry.value -> 'metadata' ->> 'status' IN ('completed', 'failed', 'killed')
  ) AS ends
  FROM executions e WHERE e.run_reason = 'codingagent' ORDER BY e.number`;

/** What must be true of every run, whatever happened while it ran; each rule with who breaks it. */
export async function judge(runs: readonly ChaosRun[], ground: RunGround, cluster: ChaosCluster): Promise<Verdict> {
  const { witness } = ground;
  const turns = await untilAllEnded(cluster);
  const turnsOf = (run: ChaosRun) => turns.filter(({ attempt_id }) => attempt_id === run.attempt_id);
  const breaking = (isBroken: (run: ChaosRun) => string | boolean) =>
    runs.flatMap((run) => {
      const how = isBroken(run);
      return how === false || how === '' ? [] : [`${run.key} (${run.kind}) ${how === true ? '' : how}`.trim()];
    });
  const lost = await Promise.all(runs.map((run) => missingLines(run, ground)));
  return {
    'every call was answered': breaking(({ failure }) => failure),
    'one attempt for each start': await doubles(cluster, runs.length),
    'each turn asked for is there, once': breaking((run) => {
      const found = turnsOf(run).length;
      return found < run.turns || found > run.turns + run.messages ? `${found} turns, asked for ${run.turns}` : false;
    }),
    'each turn ended once': turns
      .filter(({ ends }) => ends !== 1)
      .map(({ execution_id, status, ends }) => `${execution_id} ${status}: ${ends} ends`),
    'no agent started twice for a turn': breaking(
      (run) => witness.starts(run.key) > turnsOf(run).length && `${witness.starts(run.key)} starts`,
    ),
    'never two agents of an attempt at once': [...witness.doubled],
    'no agent outlived its end': breaking(({ hasOutlivedItsEnd }) => hasOutlivedItsEnd),
    'no line that was read is missing': lost.flat(),
    'what completed has all its lines': breaking((run) => gaps(run, turnsOf(run))),
  };
}

/** What the turns came to, for the table. */
export async function endings(cluster: ChaosCluster): Promise<Record<string, number>> {
  const rows = await cluster.database.query<Turn>(LIST_TURNS);
  const told = rows.map(({ status, failure_summary }) => (failure_summary ? `${status}: ${failure_summary}` : status));
  return Object.fromEntries([...new Set(told)].sort().map((how) => [how, told.filter((one) => one === how).length]));
}

/** Each attempt goes on, with all that its completed turns made. */
export async function followUps(runs: readonly ChaosRun[], { calls }: RunGround, cluster: ChaosCluster) {
  const turns = await cluster.database.query<Turn>(LIST_TURNS);
  const made = (run: ChaosRun) =>
    turns.filter(({ attempt_id, status }) => attempt_id === run.attempt_id && status === 'completed').length;
  const left = [...runs];
  const problems: string[] = [];
  const next = async (): Promise<void> => {
    for (let run = left.shift(); run !== undefined; run = left.shift())
      problems.push(...(await followUpOf(run, made(run), calls).catch((error: unknown) => [(error as Error).message])));
  };
  await Promise.all(Array.from({ length: 8 }, next));
  return { 'each attempt can be followed up, with its work': problems };
}

async function followUpOf(run: ChaosRun, completed: number, calls: RunGround['calls']): Promise<string[]> {
  const { attempt_id, key, kind } = run;
  const prompt = kind === 'demo' ? 'run cat work.txt || true\nsay still here' : 'cat work.txt || true; echo still here';
  await calls.call('follow_up', { attempt_id, action: 'send', prompt, request_id: `${key} after` });
  for (let look = 0; look < 12; look += 1) {
    const status = await calls.call('get_attempt_status', { attempt_id, wait_ms: 10_000 });
    if (status.state === 'running') continue;
    if (status.state !== 'completed') return [`${key} (${kind}) ${status.state}: ${status.failure_summary}`];
    if (kind === 'demo') return [];
    const found = String(status.final_message).split(key).length - 1;
    return found < completed ? [`${key} (${kind}) has the work of ${found} of ${completed} turns`] : [];
  }
  return [`${key} (${kind}) does not end`];
}

/** Once every task is deleted nothing remains of it: on no runner, and in no process. */
export async function leftovers(runs: readonly ChaosRun[], ground: RunGround, cluster: ChaosCluster): Promise<Verdict> {
  const turns = await cluster.database.query<Turn>(LIST_TURNS);
  const processes = turns.flatMap(({ execution_id }) => processesOfRun(execution_id).map((pid) => `${pid}`));
  const kept: string[] = [];
  const remove = (task_id: string) => ground.calls.call('delete_task', { task_id });
  for (const { key, task_id } of runs)
    await remove(task_id).catch((error: Error) => kept.push(`${key} ${error.message}`));
  await passKeptDay(cluster.database);
  await untilNoneGoes(() => cluster.worktrees().length);
  return {
    'no process is left': [...processes, ...ground.witness.left],
    'each task can be deleted': kept,
    'no turn waits or is held': (await cluster.database.query<Json>('SELECT job_id FROM turn_jobs')).map(String),
    'no worktree is left': await explained(cluster.worktrees(), cluster),
  };
}

/** With what the database says of each, and of the jobs that remove them. */
async function explained(worktrees: readonly string[], { database }: ChaosCluster): Promise<string[]> {
  if (worktrees.length === 0) return [];
  const attempts = await database.query<Json>(
    'SELECT a.id, a.workspace_state, a.runner_id, t.deleted_at FROM attempts a JOIN tasks t ON t.id = a.task_id',
  );
  const runners = await database.query<Json>('SELECT runner_id, address, seen_at, left_at FROM runners');
  const jobs = await database.query<Json>(
    `SELECT state, retry_count, start_after, data, output FROM ${QUEUE_SCHEMA}.job WHERE name = 'dispose_workspaces'`,
  );
  return worktrees.map((place) => {
    const id = place.split('/')[1]!;
    const attempt = attempts.find((one) => one.id === id);
    const ours = jobs.filter(({ data }) => JSON.stringify(data).includes(id));
    return `${place} ${JSON.stringify({ attempt, runners, jobs: ours })}`;
  });
}

/** However slow the machine is: until none is left, or none went for so long. */
async function untilNoneGoes(count: () => number): Promise<void> {
  for (let before = Infinity, now = count(); now > 0 && now < before;) {
    before = now;
    const oneWent = () => (now = count()) < before;
    await eventually('a worktree to go', oneWent, 60_000).catch(() => undefined);
  }
}

/** One that does not is judged like the others. */
async function untilAllEnded(cluster: ChaosCluster): Promise<Turn[]> {
  const live = `SELECT 1 AS one FROM executions WHERE status IN ('queued', 'running') LIMIT 1`;
  const areOver = async () => (await cluster.database.query(live)).length === 0;
  await eventually('all turns to end', areOver, 60_000).catch(() => undefined);
  return cluster.database.query<Turn>(LIST_TURNS);
}

async function doubles(cluster: ChaosCluster, expected: number): Promise<string[]> {
  const count = 'SELECT (SELECT count(*)::int FROM attempts) AS attempts, (SELECT count(*)::int FROM tasks) AS tasks';
  const [found] = await cluster.database.query<{ attempts: number; tasks: number }>(count);
  return found!.attempts === expected && found!.tasks === expected ? [] : [JSON.stringify(found)];
}

/** Its whole log, read again. */
async function missingLines(run: ChaosRun, { calls }: RunGround): Promise<string[]> {
  const lines = new Map<number, string>();
  for (let after = -1; ;) {
    const about = { attempt_id: run.attempt_id, channel: 'raw', after_entry_index: after, limit: 500 };
    const answer = await calls.call('tail_attempt_logs', about);
    for (const line of linesIn(answer)) lines.set(...line);
    const { page } = answer;
    after = page.next_after_entry_index as number;
    if (!page.has_more) break;
  }
  const missing = [...run.seen].filter(([index, content]) => lines.get(index) !== content);
  run.seen = lines;
  return [...missing.map(([index, content]) => `${run.key} ${index}: ${content}`), ...run.contradictions];
}

function gaps({ kind, lines, seen }: ChaosRun, turns: readonly Turn[]): string {
  if (kind === 'demo') return '';
  const told = [...seen].sort(([a], [b]) => a - b).map(([, content]) => content);
  const expected = ['begin', ...Array.from({ length: lines }, (_, at) => `line ${at + 1}`), 'done'].join();
  const broken = turns.filter(({ status, execution_id }) => {
    const own = told.filter((line) => line.startsWith(execution_id)).map((line) => line.slice(execution_id.length + 1));
    return status === 'completed' && own.join() !== expected;
  });
  return broken.map(({ execution_id }) => execution_id).join();
}
