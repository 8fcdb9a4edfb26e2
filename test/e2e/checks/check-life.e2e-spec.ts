import { afterAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type Project, untilEnded } from '../../support/board.js';
import { CheckedBoard } from '../../support/checked-board.js';
import { eventually } from '../../support/eventually.js';
import { InProcessServer } from '../../support/in-process-server.js';
import { onlyWith } from '../../support/machine.js';
import type { Json } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';

const WORK = 'echo new > new.txt';
const SLOW = [
  { name: 'slow', command: 'sleep 60' },
  { name: 'next', command: 'true' },
];
const leftIn = (board: CheckedBoard): string[] =>
  readdirSync(path.join(board.server.environment.DATA_DIR, 'worktrees/.checks'));

/** An attempt whose first check runs. */
async function checking(board: CheckedBoard, checks: object[] = SLOW): Promise<Json & Project> {
  const project = await board.checked(checks);
  const attempt = await board.attempt(project.project_id, WORK);
  await eventually('its first check runs', async () => {
    const { checks: results } = await board.checksOf(attempt.attempt_id);
    return results[0]?.state === 'running' ? true : null;
  });
  return { ...attempt, ...project };
}

describe('while checks run', () => {
  const board = CheckedBoard.use();

  it('nothing is delivered or sent, a second request means them, and a stop ends them all', async () => {
    const { attempt_id, task_id } = await checking(board);
    const at = `/api/attempts/${attempt_id}`;
    expect(await board.kanban.call('get_attempt_status', { attempt_id })).toMatchObject({
      ...{ state: 'running', run_reason: 'check', checks_state: 'running' },
    });
    await board.rest.refuses('checks_running', 'POST', `${at}/merge`, {});
    await board.rest.refuses('session_busy', 'POST', `${at}/follow-up`, { action: 'send', prompt: 'echo more' });
    expect(await board.runChecks(attempt_id, 0)).toMatchObject({ state: 'running' });
    await board.rest.refuses('task_running', 'DELETE', `/api/tasks/${task_id}`);
    expect(await board.rest.does('POST', `${at}/stop`, { force: true })).toMatchObject({ stopped: true });
    const stopped = { state: 'errored', reason: expect.stringMatching(/^stopped/) };
    expect(await board.checksOf(attempt_id)).toMatchObject({ state: 'errored', checks: [stopped, stopped] });
    expect(await runsOf(board.server, attempt_id)).toEqual(['codingagent completed', 'check web killed']);
    expect(await board.read(task_id)).toMatchObject({ status: 'inreview', has_in_progress_attempt: false });
    expect(leftIn(board)).toEqual([]);
    const { events } = await board.rest.does('GET', '/api/events?limit=500');
    const told = (events as Json[]).map(({ type }) => type as string).filter((type) => type.includes('.check.'));
    expect(told).toEqual(['taskyard.check.started', 'taskyard.check.errored']);
    const acts = (await board.audit(task_id)).map(({ action }) => action);
    expect(acts).toEqual(expect.arrayContaining(['checks_started', 'run_stop_requested']));
    await board.rest.does('DELETE', `/api/tasks/${task_id}`);
    expect(await runsOf(board.server, attempt_id)).toHaveLength(2);
  });

  it('a message that waits is sent at their end, even if they fail', async () => {
    const { attempt_id } = await checking(board, [{ name: 'red', command: 'sleep 2; exit 1' }]);
    await board.kanban.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo sent' });
    await eventually('the message is sent', async () => {
      const { final_message } = await board.kanban.call('get_attempt_status', { attempt_id });
      return final_message === 'sent' ? true : null;
    });
    await board.untilEnded(attempt_id);
  });

  it('a server that ends hands the check on to the next, which begins it anew', async () => {
    const { attempt_id } = await checking(board, [
      { name: 'slow', command: 'sleep 5; test -f new.txt' },
      { name: 'next', command: 'true' },
    ]);
    await board.server.restart();
    const client = await board.server.mcp();
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed', checks_state: 'passed' });
    const { checks } = await board.server.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
    expect(checks).toMatchObject([{ state: 'passed' }, { state: 'passed' }]);
    const runs = await runsOf(board.server, attempt_id);
    expect(runs.slice(1)).toEqual(['check web failed', 'check web completed', 'check web completed']);
    await client.close();
    expect(leftIn(board)).toEqual([]);
  });
});

/** A server whose environment the test sets. */
class InProcessCheckedBoard extends CheckedBoard {
  protected override startServer = (settings: Record<string, string>) => InProcessServer.start(settings);
}

onlyWith('bubblewrap').describe('the walls of a check', () => {
  builtGlobals.process.env.AGENT_KEY_OF_TEST = 'sk-agent-key';
  afterAll(() => void delete builtGlobals.process.env.AGENT_KEY_OF_TEST);
  const board = InProcessCheckedBoard.use({ ISOLATION: 'bubblewrap', AGENT_ENV: 'AGENT_KEY_OF_TEST' });

  it('show neither tokens nor agents, keep the network away, and leave the worktree alone', async () => {
    const ask = `curl -sSf -m 3 ${board.server.url}/health/live`;
    const command = `env; ls -A "$HOME"; ls ..; echo spoiled > ../../new.txt; ${ask} && exit 8; exit 7`;
    const project = await board.checked([
      { name: 'look', command, network: 'none', required: false },
      { name: 'ask', command: ask, network: 'inherit' },
    ]);
    const work = `${WORK}; test "$AGENT_KEY_OF_TEST" = sk-agent-key`;
    const { attempt_id, state } = await board.endedAttempt(project.project_id, work);
    expect(state).toBe('completed'); // an agent has it
    const [check, asked] = (await board.checksOf(attempt_id)).checks as Json[];
    expect(check).toMatchObject({ state: 'failed', exit_code: 7 });
    expect(asked).toMatchObject({ state: 'passed' }); // it is there
    const log = await board.logOf(check!.execution_process_id as string);
    expect(log).toContain('TASKYARD_NETWORK=none');
    expect(log).not.toMatch(/sk-agent-key|TASKYARD_TOKEN|TASKYARD_MCP|ty_run_/);
    expect(log).not.toMatch(/\.claude|\.codex/);
  });
});
