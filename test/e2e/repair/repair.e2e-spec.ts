import { describe, expect, it } from '@jest/globals';
import type { NewProject } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';
import { toldAgent } from '../../support/told-agent.js';

const board = Board.use({ ...toldAgent(), RETRY_DELAY_SECS: '0' });

interface Ground {
  command?: string;
  settings?: object;
  files?: NewProject['files'];
}

/** A project with one required check. */
async function given({ command = 'test -f fixed.txt', settings = {}, files }: Ground = {}): Promise<string> {
  const project = await board.project({ files });
  const { project_id } = project;
  await board.rest.does('PUT', `/api/projects/${project_id}`, { checks: 'warn', fix_rounds: 2, ...settings });
  const { repos } = await board.rest.does('GET', `/api/projects/${project_id}/repos`);
  const check = { name: 'tests', command, timeout_secs: 30, required: true, network: 'inherit' };
  const path = `/api/projects/${project_id}/repos/${(repos as Json[])[0]!.repo_id as string}/checks`;
  await board.rest.does('PUT', path, { checks: [{ ...check, rerun_on_failure: false }] });
  return project_id;
}

/** An attempt whose agent leaves something, and does this about checks that failed. */
async function attempt(project_id: string, repair: string): Promise<{ attempt_id: string; task_id: string }> {
  const task_id = await board.task(project_id);
  const prompt = `cat > repair.sh <<'END'\n${repair}\nEND\necho begun`;
  const { attempt_id } = await board.kanban.call('start_task_attempt', { task_id, executor: 'TOLD', prompt });
  return { attempt_id: attempt_id as string, task_id };
}

const checksOf = (attempt_id: string): Promise<Json> => board.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
const continuations = async (attempt_id: string): Promise<Json[]> =>
  ((await board.rest.does('GET', `/api/attempts/${attempt_id}/continuations`)).continuations as Json[]).reverse();
const untilChecks = (attempt_id: string, state: string) =>
  eventually(`checks that ${state}`, async () => {
    const found = await checksOf(attempt_id);
    return found.state === state && found;
  }) as Promise<Json>;
const untilExhausted = (attempt_id: string) =>
  eventually('the last round', async () => {
    const found = await checksOf(attempt_id);
    return found.exhausted_reason !== null && found;
  }) as Promise<Json>;
const turnsOf = async (attempt_id: string): Promise<string[]> =>
  (await runsOf(board.server, attempt_id)).filter((run) => run.startsWith('codingagent'));
const agreed = (rows: Json[]) => rows.map(({ cause, round, state }) => [cause, round, state].join(' '));

describe('checks that fail', () => {
  it('go back to the agent, whose work then passes', async () => {
    const project_id = await given({ command: 'echo "no fixed.txt here"; test ! -f repair.sh || test -f fixed.txt' });
    const { attempt_id } = await attempt(project_id, 'echo ok > fixed.txt; echo fixed it');
    const found = await untilChecks(attempt_id, 'passed');
    expect(found).toMatchObject({ rounds_used: 1, exhausted_reason: null });
    expect(await turnsOf(attempt_id)).toEqual(['codingagent completed', 'codingagent completed']);
    const [sent, ...others] = await continuations(attempt_id);
    expect(others).toEqual([]);
    expect(sent).toMatchObject({ cause: 'repair', round: 1, state: 'sent' });
    expect(sent!.prompt).toMatch(/Check "tests" in "web.*": exit code 1\.[^]*> no fixed\.txt here/);
    expect(sent!.prompt).not.toMatch(/commit that this branch began from/);
  });

  it('stop at the last round, where the task waits for a person and the inbox says why', async () => {
    const project_id = await given({ command: 'cat out.txt; exit 1' });
    const { attempt_id, task_id } = await attempt(project_id, 'echo x >> out.txt; echo tried');
    expect(await untilExhausted(attempt_id)).toMatchObject({
      state: 'failed',
      rounds_used: 2,
      exhausted_reason: '2 rounds did not help',
    });
    expect(await turnsOf(attempt_id)).toHaveLength(3);
    expect(agreed(await continuations(attempt_id))).toEqual(['repair 1 sent', 'repair 2 sent', 'repair 3 exhausted']);
    expect(await board.read(task_id)).toMatchObject({ status: 'inreview' });
    const { exhausted } = await board.rest.does('GET', '/api/inbox');
    expect(exhausted).toEqual(expect.arrayContaining([expect.objectContaining({ attempt_id, cause: 'repair' })]));
    const { events } = await board.rest.does('GET', `/api/events?project_id=${project_id}`);
    const kinds = (events as Json[]).map(({ type }) => type as string);
    expect(kinds.filter((kind) => kind === 'taskyard.continuation.exhausted')).toHaveLength(1);
  });

  it('stop where a round fails in the same way, and begin anew with a message of somebody', async () => {
    const project_id = await given({ command: 'echo broken in $(date +%s); test -f fixed.txt' });
    const { attempt_id } = await attempt(project_id, 'echo more >> work.txt; echo tried');
    expect((await untilExhausted(attempt_id)).exhausted_reason).toMatch(/same checks failed in the same way/);
    expect(await turnsOf(attempt_id)).toHaveLength(2);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo ok > fixed.txt; echo done' });
    expect(await untilChecks(attempt_id, 'passed')).toMatchObject({ rounds_used: 0, exhausted_reason: null });
    const { exhausted } = await board.rest.does('GET', '/api/inbox');
    expect((exhausted as Json[]).filter((one) => one.attempt_id === attempt_id)).toEqual([]);
  });

  it('are told as failing before, too, and stop where the agent changes nothing in a round', async () => {
    const { attempt_id } = await attempt(await given(), 'echo I see nothing wrong');
    expect((await untilExhausted(attempt_id)).exhausted_reason).toMatch(/changed nothing/);
    expect(await turnsOf(attempt_id)).toHaveLength(2);
    expect((await continuations(attempt_id))[0]!.prompt).toMatch(/fails on the commit that this branch began from/);
  });

  it.each([
    ['whose program is missing', { command: 'no-such-program-anywhere' }, 'errored'],
    ['of a project without rounds', { settings: { fix_rounds: 0 } }, 'failed'],
  ])('are left to people: those %s', async (_, ground, state) => {
    const { attempt_id } = await attempt(await given(ground), 'echo ok > fixed.txt; echo fixed it');
    await untilChecks(attempt_id, state);
    await board.untilEnded(attempt_id);
    expect(await continuations(attempt_id)).toEqual([]);
    expect(await checksOf(attempt_id)).toMatchObject({ rounds_used: 0, exhausted_reason: null });
  });
});
