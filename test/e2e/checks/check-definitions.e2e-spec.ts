import { describe, expect, it } from '@jest/globals';
import { CheckedBoard } from '../../support/checked-board.js';
import { nowhere } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';

const board = CheckedBoard.use();
const WORK = 'echo new > new.txt';
const tests = { name: 'tests', command: 'true' };
const whole = { ...tests, timeout_secs: 600, required: true, paths: null, network: 'inherit', rerun_on_failure: false };

describe('the checks of a repository', () => {
  it('have a version, which only a change moves, and an audit of each change', async () => {
    const { project_id, repo_id } = await board.project();
    const at = `/api/projects/${project_id}/repos/${repo_id}/checks`;
    expect(await board.rest.does('GET', at)).toEqual({ project_id, repo_id, version: 0, checks: [] });
    const set = { project_id, repo_id, version: 1, checks: [whole] };
    expect(await board.rest.does('PUT', at, { checks: [tests] })).toEqual(set);
    expect(await board.rest.does('PUT', at, { checks: [{ ...tests, rerun_on_failure: 0 }] })).toEqual(set);
    expect(await board.rest.does('PUT', at, { checks: [] })).toMatchObject({ version: 2, checks: [] });
    const { entries } = await board.rest.does('GET', `/api/projects/${project_id}/audit`);
    const changes = (entries as Json[]).filter(({ action }) => action === 'checks_changed');
    expect(changes.map(({ details }) => details.version)).toEqual([2, 1]);
  });

  const wrong: [string, object][] = [
    ['two of one name', { checks: [tests, tests] }],
    ['a blank command', { checks: [{ ...tests, command: ' ' }] }],
    ['no time', { checks: [{ ...tests, timeout_secs: 0 }] }],
    ['a day', { checks: [{ ...tests, timeout_secs: 86_400 }] }],
    ['another network', { checks: [{ ...tests, network: 'open' }] }],
    ['more than 50', { checks: Array.from({ length: 51 }, (_, at) => ({ ...tests, name: `t${at}` })) }],
  ];
  it.each(wrong)('are refused with %s', async (_name, body) => {
    const { project_id, repo_id } = await board.project();
    await board.rest.refuses('invalid_argument', 'PUT', `/api/projects/${project_id}/repos/${repo_id}/checks`, body);
  });

  it('are set by maintainers alone, whatever the body', async () => {
    const project_id = await board.bareProject('erin');
    const { repo_id } = await board.as('erin').does('POST', `/api/projects/${project_id}/repos`, {
      path: board.repository().dir,
      name: 'web',
    });
    const at = `/api/projects/${project_id}/repos/${repo_id}/checks`;
    await board.worker('mia', 'human', 'mia');
    await board.as('erin').does('POST', `/api/projects/${project_id}/members`, { handle: 'mia', role: 'member' });
    await board.as('mia').refuses('forbidden', 'PUT', at, { checks: [tests, tests] });
    expect(await board.as('mia').does('GET', at)).toMatchObject({ version: 0 });
    const elsewhere = `/api/projects/${project_id}/repos/${nowhere}/checks`;
    await board.as('erin').refuses('repo_not_found', 'PUT', elsewhere, { checks: [] });
  });
});

describe('the results of checks', () => {
  it('hold until branch, target or checks change', async () => {
    const project = await board.checked([tests]);
    const { attempt_id } = await board.endedAttempt(project.project_id, WORK);
    const stateOf = async () => (await board.checksOf(attempt_id)).state as string;
    const stored = async () => (await board.kanban.call('get_attempt_status', { attempt_id })).checks_state as string;
    const say = async (prompt: string) => {
      await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt });
      await board.untilEnded(attempt_id);
    };
    await say('echo nothing');
    expect([await stateOf(), await stored()]).toEqual(['passed', 'passed']);
    expect(await runsOf(board.server, attempt_id)).toHaveLength(3);
    await say('echo more > more.txt');
    expect((await runsOf(board.server, attempt_id)).slice(3)).toEqual(['codingagent completed', 'check web completed']);
    project.repository.write({ 'theirs.txt': 'theirs\n' });
    project.repository.commit('theirs');
    expect(await stateOf()).toBe('stale');
    expect((await board.kanban.call('get_attempt_delivery', { attempt_id })).checks_state).toBe('stale');
    expect(await board.runChecks(attempt_id)).toMatchObject({ state: 'passed', version: 1 });
    await board.setChecks(project, [{ ...tests, command: 'exit 0' }]);
    expect([await stateOf(), await stored()]).toEqual(['stale', 'stale']);
    expect(await board.kanban.call('run_attempt_checks', { attempt_id, wait_ms: 20_000 })).toMatchObject({
      ...{ state: 'passed', version: 2 },
    });
    await board.rest.does('PUT', `/api/projects/${project.project_id}`, { checks: 'off' });
    expect([await stateOf(), await stored()]).toEqual([null, null]);
    await board.rest.refuses('no_checks', 'POST', `/api/attempts/${attempt_id}/checks`, {});
  });

  it('do not depend on what the worktree says', async () => {
    const files = { 'package.json': '{"scripts": {"test": "false"}}' };
    const project = await board.checked([{ name: 'tests', command: 'test ! -e untracked.log && exit 5' }], { files });
    const script = 'echo untracked.log > .gitignore; echo x > untracked.log; echo "exit 0" > checks.json';
    const { attempt_id } = await board.endedAttempt(project.project_id, script);
    expect((await board.checksOf(attempt_id)).checks).toMatchObject([{ state: 'failed', exit_code: 5 }]);
  });

  it('have a tool where a project is checked', async () => {
    const fresh = await CheckedBoard.start();
    const isListed = async () => {
      const { tools } = await fresh.kanban.sdk.listTools();
      return tools.some(({ name }) => name === 'run_attempt_checks');
    };
    const before = await isListed();
    await fresh.checked([tests]);
    expect([before, await isListed()]).toEqual([false, true]);
    await fresh.stop();
  });
});
