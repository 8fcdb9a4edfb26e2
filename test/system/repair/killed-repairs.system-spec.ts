import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { givenProject } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { ServerProcess } from '../../support/server-process.js';

/** 40 for a thorough look. */
const SEEDS = Number(process.env.REPAIR_SEEDS ?? 4);
const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-repairs-'));
const said = path.join(folder, 'said');

/** Says outside its worktree what it was told; two at once would be heard. */
const AGENT = `
  exec 9> ${folder}/lock
  flock -n 9 || echo overlap >> ${said}
  case "$1" in
    *"of your work failed (round"*) echo repair >> ${said}; sleep 0.5; echo ok > fixed.txt; echo fixed it;;
    *) echo begin >> ${said}; echo broken > work.txt; echo begun;;
  esac`;

/** Moments of a repair, each told by what the database holds by then. */
const steps = {
  'the checks run': "SELECT FROM executions WHERE attempt_id = $1 AND run_reason = 'check' AND status = 'running'",
  'they are red': 'SELECT FROM continuations WHERE attempt_id = $1',
  'the message is sent': "SELECT FROM continuations WHERE attempt_id = $1 AND state = 'sent'",
  'the agent repairs': `SELECT FROM executions e JOIN continuations c ON c.execution_id = e.id
     WHERE e.attempt_id = $1 AND e.status = 'running'`,
  'the checks run again': `SELECT FROM check_runs WHERE attempt_id = $1 AND ended_at IS NULL
     AND number > (SELECT min(number) FROM check_runs WHERE attempt_id = $1)`,
} as const;
type Step = keyof typeof steps;
const moments = fc.record({
  step: fc.constantFrom(...(Object.keys(steps) as Step[])),
  victim: fc.constantFrom('api', 'runner'),
  after_ms: fc.integer({ min: 0, max: 400 }),
});

describe('a repair of which a process is killed', () => {
  let database: TestDatabase;
  let project_id: string;
  const members = new Map<string, ServerProcess>();

  beforeAll(async () => {
    database = await createTestDatabase();
    const told = {
      id: 'TOLD',
      command: 'sh',
      protocol: 'plain',
      takes: 'prompt',
      args: ['-c', AGENT, 'told', '{prompt}'],
    };
    writeFileSync(path.join(folder, 'executors.json'), JSON.stringify({ executors: [told] }));
    members.set('api', await ServerProcess.start(settingsOf('api')));
    members.set('runner', await ServerProcess.start(settingsOf('runner'), members.get('api')!.repositories));
    ({ project_id } = await givenProject(members.get('api')!, {}));
    const rest = () => members.get('api')!.rest;
    await rest().does('PUT', `/api/projects/${project_id}`, { checks: 'warn', fix_rounds: 2 });
    const { repos } = await rest().does('GET', `/api/projects/${project_id}/repos`);
    const check = { name: 'tests', command: 'sleep 0.3; test ! -f work.txt || test -f fixed.txt', timeout_secs: 60 };
    await rest().does('PUT', `/api/projects/${project_id}/repos/${(repos as Json[])[0]!.repo_id as string}/checks`, {
      checks: [{ ...check, required: true, network: 'inherit', rerun_on_failure: false }],
    });
  });
  afterAll(async () => {
    await Promise.all([...members.values()].map((member) => member.end('SIGKILL')));
    members.get('api')?.repositories.remove();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const settingsOf = (role: string): Record<string, string> => ({
    DATABASE_URL: database.url,
    DATA_DIR: path.join(folder, role),
    ROLE: role,
    CLUSTER_SECRET: 'a secret of at least thirty-two characters',
    TASKFLOW_SERVICE_TOKEN: 'a token of at least thirty-two characters',
    INTERNAL_ADDRESS: '127.0.0.1:0',
    EXECUTORS_FILE: path.join(folder, 'executors.json'),
    ISOLATION: 'none',
    RUNNER_LOST_SECS: '3',
    RETRY_DELAY_SECS: '0',
    AGENT_API_URL: 'http://127.0.0.1:9',
  });
  const restart = async (name: string) => {
    await members.get(name)!.end('SIGKILL');
    members.set(name, await members.get(name)!.startAgain());
  };
  const query = <T extends object>(sql: string, attempt_id: string): Promise<T[]> =>
    members.get('runner')!.query<T>(sql, [attempt_id]);
  const words = (): string[] => {
    const all = readFileSync(said, 'utf8').split('\n').filter(Boolean);
    rmSync(said);
    return all;
  };

  async function start(): Promise<string> {
    const client = await members.get('api')!.mcp();
    const { task_id } = await client.call('create_task', { project_id, title: 'Repair it' });
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'TOLD', prompt: 'begin' });
    return attempt_id as string;
  }

  it.each(fc.sample(moments, { seed: 39, numRuns: SEEDS }))(
    'sends one message and has no two turns: $victim, $after_ms ms after $step',
    async ({ step, victim, after_ms }) => {
      const attempt_id = await start();
      await eventually(step, async () => (await query(steps[step], attempt_id)).length > 0);
      await delay(after_ms);
      await restart(victim);
      await eventually('the repaired work', async () => {
        const [row] = await query<{ checks_state: string }>(
          'SELECT checks_state FROM attempts WHERE id = $1',
          attempt_id,
        );
        return row?.checks_state === 'passed';
      });
      const rows = await query<{ cause: string; state: string; round: number }>(
        'SELECT cause, state, round FROM continuations WHERE attempt_id = $1 ORDER BY number',
        attempt_id,
      );
      expect(rows.filter(({ cause }) => cause === 'repair')).toEqual([{ cause: 'repair', state: 'sent', round: 1 }]);
      expect(rows.every(({ state }) => state === 'sent')).toBe(true);
      const [{ turns }] = (await query<{ turns: number }>(
        `SELECT count(DISTINCT job_id)::int AS turns FROM executions
         WHERE attempt_id = $1 AND run_reason = 'codingagent'`,
        attempt_id,
      )) as [{ turns: number }];
      expect(turns).toBe(1 + rows.length);
      const [first, ...others] = words();
      expect([first, ...new Set(others)]).toEqual(['begin', 'repair']);
      expect(others.length).toBeLessThanOrEqual(rows.length);
    },
  );
});
