import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type ForgeAttempt, ForgeGround, testForges } from '../../support/forge/forge-ground.js';
import type { Json } from '../../support/mcp-client.js';

const REASON = { reason: 'The service it needs is down today.' };
const NOTE = /^Delivered by .+ although its checks had not passed: The service it needs is down today\.$/m;

describe.each(testForges)('checked work on a forge: %s', (kind) => {
  const ground = ForgeGround.use(kind);

  /** An attempt whose work was checked by this command. */
  const checked = async (command: string): Promise<ForgeAttempt> => {
    const place = await ground.attempt();
    const { project_id, attempt_id } = place;
    const { rest } = ground.board;
    const { repos } = await rest.does('GET', `/api/projects/${project_id}/repos`);
    await rest.does('PUT', `/api/projects/${project_id}`, { checks: 'block', check_on: 'request', fix_rounds: 0 });
    const check = {
      name: 'tests',
      command,
      timeout_secs: 60,
      required: true,
      network: 'none',
      rerun_on_failure: false,
    };
    const path = `/api/projects/${project_id}/repos/${String((repos as Json[])[0]!.repo_id)}/checks`;
    await rest.does('PUT', path, { checks: [check] });
    await rest.does('POST', `/api/attempts/${attempt_id}/checks`, { wait_ms: 20_000 });
    return place;
  };
  const path = ({ attempt_id }: ForgeAttempt, act = '') => `/api/attempts/${attempt_id}/pull-request${act}`;
  const untilSaid = (place: ForgeAttempt, state: string) =>
    eventually(`a status that says ${state}`, () => {
      const all = place.remote.checks.get(ground.pullOf(place).head_commit) ?? [];
      return all.some((one) => one.name === 'taskyard/checks' && one.state === state);
    });

  /** More work reaches the open pull request by a reason of its own alone. */
  const pushesMore = async (place: ForgeAttempt): Promise<void> => {
    const { board } = ground;
    const { attempt_id, project_id, task_id } = place;
    await board.worker('@maker', 'agent', 'maker');
    await board.member(project_id, '@maker', 'maintainer');
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo more > more.txt' });
    await board.untilEnded(attempt_id);
    const push = `/api/attempts/${attempt_id}/push`;
    const override = { reason: 'More of the same day.' };
    const before = ground.pullOf(place).head_commit;
    const { details } = await board.rest.refuses('checks_required', 'POST', push, {});
    expect(details).toMatchObject({ stale: ['tests'] });
    const refused = await board.kanban.refused('push_attempt', { attempt_id, override });
    expect(refused.code).toBe('invalid_argument'); // what agents are offered has no such field
    await board.as('maker').refuses('forbidden', 'POST', push, { override });
    expect(ground.pullOf(place)).toMatchObject({ head_commit: before, body: expect.not.stringMatching(/same day/) });
    for (const status of ['pushed', 'up_to_date'])
      expect(await board.rest.does('POST', push, { override })).toMatchObject({ repos: [{ status }] });
    expect(ground.pullOf(place).head_commit).not.toBe(before);
    expect(ground.pullOf(place).body).toMatch(NOTE);
    expect(ground.pullOf(place).body.match(/^Delivered by .+: More of the same day\.$/gm)).toHaveLength(1);
    const overridden = (await board.audit(task_id)).filter(({ action }) => action === 'checks_overridden');
    expect(overridden.map(({ details: { reason, stale } }) => [reason, stale] as unknown)).toContainEqual([
      override.reason,
      ['tests'],
    ]);
  };

  it('has its result as a status of the head, which does not stand in the way of its own merge', async () => {
    const place = await checked('true');
    await ground.board.rest.does('POST', path(place), { override: REASON });
    expect(ground.pullOf(place).body).not.toMatch(NOTE); // nothing was overridden
    await untilSaid(place, 'success');
    const { repos } = await ground.call('get_pull_request', { attempt_id: place.attempt_id });
    expect(repos[0].pull_request).toMatchObject({ checks: 'none' });
    const merge = { action: 'merge', expected_head: ground.pullOf(place).head_commit };
    const merged = await ground.call('merge_pull_request', { attempt_id: place.attempt_id, ...merge });
    expect(merged).toMatchObject({ repos: [{ status: 'merged' }] });
  });

  it('is neither opened nor merged while it fails, but for a reason that stands in its text', async () => {
    const place = await checked('exit 3');
    const { rest } = ground.board;
    await rest.refuses('checks_required', 'POST', path(place), {});
    expect(place.remote.pulls).toEqual([]);
    await rest.does('POST', path(place), { override: REASON });
    expect(ground.pullOf(place).body).toMatch(NOTE);
    expect(ground.pullOf(place).body).toContain(`Taskyard-Attempt: ${place.attempt_id}`);
    await untilSaid(place, 'failure');
    await pushesMore(place);
    await rest.does('PATCH', path(place), { body: 'Without a word.' });
    const expected_head = ground.pullOf(place).head_commit;
    await rest.refuses('checks_required', 'POST', path(place, '/merge'), { expected_head });
    await rest.does('POST', path(place, '/merge'), { expected_head, override: REASON });
    expect(ground.pullOf(place)).toMatchObject({ state: 'merged', body: expect.stringMatching(NOTE) });
  });
});
