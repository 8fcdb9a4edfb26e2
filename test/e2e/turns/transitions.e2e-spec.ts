import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptsRepository } from '../../../src/attempts/attempts.repository.js';
import { UnknownLandings } from '../../../src/deliveries/unknown-landings.js';
import type { ExecutionStatus, TurnExecution } from '../../../src/executions/execution.entity.js';
import { localOwner } from '../../../src/platform/access/principal.js';
import { Database, type Transaction } from '../../../src/platform/database/database.js';
import { type Ending, endings } from '../../../src/turns/turn-endings.js';
import { TurnsService } from '../../../src/turns/turns.service.js';
import type { Attempt } from '../../../src/attempts/attempt.entity.js';
import { givenAttempt, givenProject } from '../../support/board.js';
import type { McpClient } from '../../support/mcp-client.js';
import { eventsOf, runsOf, taskStatus } from '../../support/runs.js';
import { InProcessServer } from '../../support/in-process-server.js';

const states: ExecutionStatus[] = ['queued', 'running', 'completed', 'failed', 'killed'];
type Given = { attempt_id: string; task_id: string; execution: TurnExecution };

/** A server without a runner: nobody but the test moves a turn. */
describe('every transition of a turn, from every state', () => {
  let server: InProcessServer;
  let client: McpClient;
  let project_id: string;
  let turns: TurnsService;

  beforeAll(async () => {
    server = await InProcessServer.start({ ROLE: 'api' });
    client = await server.mcp();
    ({ project_id } = await givenProject(server));
    turns = server.app.get(TurnsService, { strict: false });
    await server.app.get(UnknownLandings, { strict: false }).onApplicationShutdown(); // begins what waits
  });
  afterAll(() => server.stop());

  /** A turn in that state, with a message that waits behind it. */
  async function given(status: ExecutionStatus): Promise<Given> {
    const { attempt_id, task_id, execution_process_id } = await givenAttempt(client, project_id);
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo next' });
    await server.query(
      `UPDATE executions SET status = $2, runner_id = CASE WHEN $2 = 'queued' THEN NULL ELSE 'me' END WHERE id = $1`,
      [execution_process_id, status],
    );
    const [execution] = await server.query<TurnExecution>('SELECT * FROM executions WHERE id = $1', [
      execution_process_id,
    ]);
    return { attempt_id, task_id, execution: execution! };
  }

  const inTransaction = <T>(attempt_id: string, work: (tx: Transaction, attempt: Attempt) => Promise<T>): Promise<T> =>
    server.app.get(Database).transaction(async (tx) => {
      const attempts = server.app.get(AttemptsRepository, { strict: false });
      return work(tx, await attempts.lock(tx, localOwner, attempt_id));
    });
  const hasMessage = async (attempt_id: string): Promise<boolean> =>
    (await server.query('SELECT 1 FROM queued_messages WHERE attempt_id = $1', [attempt_id])).length > 0;
  const hasJob = async (job_id: string): Promise<boolean> =>
    (await server.query('SELECT 1 FROM turn_jobs WHERE job_id = $1', [job_id])).length > 0;
  const dropped = async (attempt_id: string): Promise<string[]> =>
    (await eventsOf(server, attempt_id)).filter((event) => event.includes('dropped'));

  describe.each(Object.keys(endings) as Ending[])('%s', (ending) => {
    const { from, to, messages, isLogged } = endings[ending];
    const applies = (status: ExecutionStatus): boolean => (from as readonly string[]).includes(status);
    const end = (given: Given) =>
      inTransaction(given.attempt_id, (tx, attempt) =>
        turns.end(
          tx,
          attempt,
          given.execution,
          { status: to, exit_code: 7, failure_summary: 'why', final_message: null },
          ending,
        ),
      );

    it.each(states.filter(applies))('ends a turn that is %s, once', async (status) => {
      const turn = await given(status);
      await end(turn);
      const next = messages.action === 'run' ? ['codingagent queued'] : [];
      expect(await runsOf(server, turn.attempt_id)).toEqual([`codingagent ${to}`, ...next]);
      expect(await hasJob(turn.execution.job_id)).toBe(false);
      expect(await hasMessage(turn.attempt_id)).toBe(messages.action === 'keep');
      expect(await dropped(turn.attempt_id)).toEqual(
        messages.action === 'drop' ? [`the queued message was dropped: ${messages.reason}`] : [],
      );
      expect(await taskStatus(client, turn.task_id)).toBe(messages.action === 'run' ? 'inprogress' : 'inreview');
      const { page } = await client.call('tail_attempt_logs', { attempt_id: turn.attempt_id });
      expect(page.entries).toHaveLength(isLogged && status === 'running' ? 1 : 0);
      const before = await runsOf(server, turn.attempt_id);
      await end(turn); // the answer was lost: nothing happens twice
      expect(await runsOf(server, turn.attempt_id)).toEqual(before);
    });

    it.each(states.filter((status) => !applies(status)))('leaves a turn alone that is %s', async (status) => {
      const turn = await given(status);
      await end(turn);
      expect(await runsOf(server, turn.attempt_id)).toEqual([`codingagent ${status}`]);
      expect(await hasJob(turn.execution.job_id)).toBe(true);
      expect(await hasMessage(turn.attempt_id)).toBe(true);
      expect(await dropped(turn.attempt_id)).toEqual([]);
    });
  });

  it.each(states)('take: a runner takes what is queued, or its own again: %s', async (status) => {
    const { attempt_id, execution } = await given(status);
    const take = (runner_id: string) =>
      inTransaction(attempt_id, (tx, attempt) => turns.take(tx, attempt, execution.job_id, runner_id));
    const isTaken = status === 'queued' || status === 'running';
    expect((await take('me'))?.status).toBe(isTaken ? 'running' : undefined);
    expect(await take('another')).toBeNull();
    expect(await runsOf(server, attempt_id)).toEqual([`codingagent ${isTaken ? 'running' : status}`]);
  });

  it.each(states)('stop: ends what is queued, asks what runs, and drops the message: %s', async (status) => {
    const { attempt_id, execution } = await given(status);
    const stop = (force: boolean) =>
      inTransaction(attempt_id, (tx, attempt) => turns.stop(tx, attempt, force, localOwner));
    const isLive = status === 'queued' || status === 'running';
    expect((await stop(false)).live?.id).toBe(isLive ? execution.id : undefined);
    expect(await runsOf(server, attempt_id)).toEqual([`codingagent ${status === 'queued' ? 'killed' : status}`]);
    expect(await hasMessage(attempt_id)).toBe(false);
    await stop(true);
    const [row] = await server.query<{ stop_forced: boolean; stop_requested_at: Date | null }>(
      'SELECT stop_forced, stop_requested_at FROM executions WHERE id = $1',
      [execution.id],
    );
    expect(row?.stop_forced).toBe(status === 'running');
    expect(row?.stop_requested_at !== null).toBe(isLive);
  });

  it.each(states)('begin: is refused while a turn is live: %s', async (status) => {
    const { attempt_id, execution } = await given(status);
    const begin = inTransaction(attempt_id, (tx, attempt) =>
      turns.begin(
        tx,
        attempt,
        { id: execution.session_id, executor: 'SHELL' },
        { prompt: 'echo again', is_task_text: false, variant: null, timeout_secs: 60 },
        localOwner,
      ),
    );
    if (status === 'queued' || status === 'running') {
      await expect(begin).rejects.toMatchObject({ constraint: 'executions_one_live' });
      expect(await runsOf(server, attempt_id)).toEqual([`codingagent ${status}`]);
    } else {
      const begun = await begin;
      expect(Number(begun.number)).toBeGreaterThan(Number(execution.number)); // as the database numbered it
      expect(begun).toMatchObject({ status: 'queued', timeout_secs: 60, runner_id: null });
      expect(await hasJob(begun.job_id)).toBe(true);
    }
  });
});
