import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptsRepository } from '../../../src/attempts/attempts.repository.js';
import { ContinuationsService } from '../../../src/continuations/continuations.service.js';
import { ExecutionsRepository } from '../../../src/executions/executions.repository.js';
import { localOwner } from '../../../src/platform/access/principal.js';
import { Database } from '../../../src/platform/database/database.js';
import { TurnsService } from '../../../src/turns/turns.service.js';
import { givenAttempt, untilLine } from '../../support/board.js';
import { sendNow } from '../../support/continuations.js';
import { eventually } from '../../support/eventually.js';
import { InProcessBoard } from '../../support/in-process-server.js';
import type { Json } from '../../support/mcp-client.js';
import { toldAgent } from '../../support/told-agent.js';

const board = InProcessBoard.use({ ...toldAgent(), RETRY_DELAY_SECS: '0' });
const part = <T>(kind: abstract new (...args: never[]) => T): T => board.server.app.get(kind, { strict: false });
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
  await setRetries({ transient: true, infra: true, quota: true });
});

const setRetries = (retries: object) => board.rest.does('PUT', `/api/projects/${project_id}`, { retries });
const listed = async (attempt_id: string): Promise<Json[]> =>
  ((await board.rest.does('GET', `/api/attempts/${attempt_id}/continuations`)).continuations as Json[]).reverse();
const states = async (attempt_id: string): Promise<string[]> =>
  (await listed(attempt_id)).map(({ cause, round, state }) => [cause, round, state].join(' '));
const untilStates = (attempt_id: string, expected: string[]) =>
  eventually(`continuations: ${expected.join(', ')}`, async () => {
    const found = await states(attempt_id);
    return found.join() === expected.join();
  });
const turns = (attempt_id: string): Promise<{ status: string; session_id: string; prompt: string }[]> =>
  board.server.query('SELECT status, session_id, prompt FROM executions WHERE attempt_id = $1 ORDER BY number', [
    attempt_id,
  ]);
const told_to = async (prompt: string): Promise<string> =>
  (await givenAttempt(board.kanban, project_id, prompt, { executor: 'TOLD', prompt })).attempt_id as string;
/** Fails so often, counted in the worktree, and then does well. */
const failing = (times: number, words: string): string =>
  `n=$(cat .tries 2>/dev/null || echo 0); echo $((n + 1)) > .tries; ` +
  `if [ $n -lt ${times} ]; then echo "${words}" >&2; exit 1; fi; echo done after $n`;

describe('a failure that passes by itself', () => {
  it('is tried again with the same message three times, then given up until somebody sends a message', async () => {
    const prompt = failing(5, 'API Error: 529 overloaded');
    const attempt_id = await told_to(prompt);
    const spent = ['transient 1 sent', 'transient 2 sent', 'transient 3 sent', 'transient 4 exhausted'];
    await untilStates(attempt_id, spent);
    expect(await turns(attempt_id)).toHaveLength(4);
    const inbox = async () => (await board.rest.does('GET', '/api/inbox')).exhausted as Json[];
    expect(await inbox()).toMatchObject([
      { attempt_id, cause: 'transient', reason: expect.stringMatching(/^3 retries/) },
    ]);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt });
    await untilStates(attempt_id, [...spent, 'transient 1 sent']);
    expect(await board.untilEnded(attempt_id)).toMatchObject({ state: 'completed', final_message: 'done after 5' });
    expect(await inbox()).toEqual([]);
    const all = await turns(attempt_id);
    expect(all.map(({ status }) => status)).toEqual([...Array<string>(5).fill('failed'), 'completed']);
    expect(new Set(all.map(({ prompt: sent }) => sent))).toEqual(new Set([prompt]));
    expect(new Set(all.map(({ session_id }) => session_id)).size).toBe(1);
  });

  it('waits for the time at which a quota is reset, and is then sent once', async () => {
    const resets = Math.floor(Date.now() / 1_000) + 5_400;
    const attempt_id = await told_to(failing(1, `usage limit reached, resets at ${resets}`));
    await untilStates(attempt_id, ['quota 1 due']);
    const [due] = await listed(attempt_id);
    expect(Math.abs(Date.parse(due!.due_at as string) - resets * 1_000)).toBeLessThan(5_000);
    expect(await turns(attempt_id)).toHaveLength(1);
    await sendNow(board);
    await untilStates(attempt_id, ['quota 1 sent']);
    expect(await board.untilEnded(attempt_id)).toMatchObject({ final_message: 'done after 1' });
    expect(await turns(attempt_id)).toHaveLength(2);
  });

  it('is given up after five resets without progress', async () => {
    const resets = Math.floor(Date.now() / 1_000) + 5_400;
    const attempt_id = await told_to(failing(9, `usage limit reached, resets at ${resets}`));
    for (const round of [1, 2, 3, 4, 5]) {
      await eventually('the next reset', async () => (await states(attempt_id)).at(-1) === `quota ${round} due`);
      await sendNow(board);
    }
    await eventually('the end', async () => (await states(attempt_id)).at(-1) === 'quota 6 exhausted');
    expect(await turns(attempt_id)).toHaveLength(6);
  });

  it('is not one of the account, the work, a stop or a script, nor where the project has switched it off', async () => {
    const stopped = await told_to('echo API Error: 529 overloaded; echo ready; exec sleep 600');
    await untilLine(board.kanban, stopped, 'ready');
    await board.rest.does('POST', `/api/attempts/${stopped}/stop`, {});
    const { attempt_id: script } = await board.endedAttempt(project_id, 'echo "529 overloaded" >&2; exit 1');
    const others = [failing(9, 'Your credit balance is too low'), failing(9, 'I could not do it')];
    const failed = await Promise.all(others.map(told_to));
    for (const attempt_id of failed) expect(await board.untilEnded(attempt_id)).toMatchObject({ state: 'failed' });
    await setRetries({ transient: false });
    const off = await told_to(failing(1, 'API Error: 529 overloaded'));
    await board.untilEnded(off);
    await setRetries({ transient: true });
    expect(await Promise.all([stopped, script as string, ...failed, off].map(states))).toEqual([[], [], [], [], []]);
  });

  it('is a lost runner, once', async () => {
    const attempt_id = await told_to('echo ready; exec sleep 600');
    const lose = () =>
      part(Database).transaction(async (tx) => {
        const attempt = await part(AttemptsRepository).lock(tx, localOwner, attempt_id);
        const live = await part(ExecutionsRepository).findLive(attempt_id);
        await part(TurnsService).lose(tx, attempt, live!, 'it went silent');
      });
    const untilTurn = (count: number) =>
      eventually('the next turn', async () => {
        const all = await turns(attempt_id);
        return all.length === count && all.at(-1)!.status === 'running';
      });
    await untilTurn(1);
    await lose();
    await untilTurn(2);
    await lose();
    await untilStates(attempt_id, ['infra 1 sent', 'infra 2 exhausted']);
    expect(await turns(attempt_id)).toHaveLength(2);
  });
});

describe('an agent that is asked to go on and does nothing', () => {
  it('is asked again, then in a new conversation, and then a person is', async () => {
    const attempt_id = await told_to('echo begun');
    await board.untilEnded(attempt_id);
    const [first] = await turns(attempt_id);
    await part(Database).transaction(async (tx) => {
      const attempt = await part(AttemptsRepository).lock(tx, localOwner, attempt_id);
      const message = { prompt: 'true', is_task_text: false, variant: null, timeout_secs: null };
      const about = { attempt, session_id: first!.session_id, cause: 'repair' as const, cause_key: attempt_id };
      await part(ContinuationsService).plan(tx, { ...about, round: 1, delay_secs: 0, message });
    });
    await untilStates(attempt_id, ['repair 1 sent', 'repair 1 sent', 'repair 1 sent', 'repair 1 exhausted']);
    const all = await turns(attempt_id);
    expect(all.map(({ prompt }) => prompt).slice(1)).toEqual(['true', 'true', 'true']);
    const sessions = all.map(({ session_id }) => session_id === first!.session_id);
    expect(sessions).toEqual([true, true, true, false]);
  });
});
