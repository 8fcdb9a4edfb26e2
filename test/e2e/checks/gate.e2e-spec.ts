import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { moveMain } from '../../support/delivery-ground.js';
import { eventually } from '../../support/eventually.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';

const REASON = { reason: 'The service it needs is down today.' };

describe('work that has to pass its checks before it is delivered', () => {
  const board = Board.use(); // a server of its own: where work is checked, one more tool is listed
  let agent: McpClient;
  beforeAll(async () => {
    await board.worker('@maker', 'agent', 'maker');
    agent = await board.mcpAs('maker', '/mcp');
  });

  /** An attempt whose work is one file, in a project that blocks. */
  const ground = async (command: string, settings: object = {}, work = 'echo new > new.txt') => {
    const { project_id, repository } = await board.project();
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    await board.member(project_id, '@maker', 'maintainer');
    await board.rest.does('PUT', `/api/projects/${project_id}`, { checks: 'block', fix_rounds: 0, ...settings });
    await setChecks(project_id, command);
    const { attempt_id } = await board.endedAttempt(project_id, work);
    return { project_id, repository, attempt_id: attempt_id as string };
  };
  const setChecks = async (project_id: string, command: string) => {
    const { repos } = await board.rest.does('GET', `/api/projects/${project_id}/repos`);
    const path = `/api/projects/${project_id}/repos/${String((repos as Json[])[0]!.repo_id)}/checks`;
    const check = {
      name: 'tests',
      command,
      timeout_secs: 60,
      required: true,
      network: 'none',
      rerun_on_failure: false,
    };
    await board.rest.does('PUT', path, { checks: [check] });
  };
  const checksOf = (attempt_id: string) => board.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
  const untilChecked = (attempt_id: string, state: string) =>
    eventually(`checks that are ${state}`, async () => (await checksOf(attempt_id)).state === state);
  const merge = (attempt_id: string, more: object = {}) =>
    board.rest.does('POST', `/api/attempts/${attempt_id}/merge`, more);
  const refusedMerge = async (code: string, attempt_id: string, more: object = {}) =>
    (await board.rest.refuses(code, 'POST', `/api/attempts/${attempt_id}/merge`, more)).details;
  const followUp = async (attempt_id: string, prompt: string) => {
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt });
    await board.untilEnded(attempt_id);
  };
  const main = (repository: GitRepository) => repository.git('rev-parse', 'main');

  it('lands when they passed on its head, and is forecast so', async () => {
    const { attempt_id, repository } = await ground('ls | grep -q ^new');
    await untilChecked(attempt_id, 'passed');
    expect((await merge(attempt_id, { dry_run: true })).repos).toMatchObject([{ status: 'would_land', error: null }]);
    expect(await merge(attempt_id)).toMatchObject({ state: 'merged' });
    expect(repository.git('show', 'main:new.txt')).toBe('new');
  });

  it('is refused when one failed, to agents and people; a person overrides that with a reason', async () => {
    const { attempt_id, project_id, repository } = await ground('echo broken; exit 3');
    await untilChecked(attempt_id, 'failed');
    const before = main(repository);
    const required = { missing: [], failed: ['tests'], stale: [], errored: [], tampering: [] };
    expect(await refusedMerge('checks_required', attempt_id)).toMatchObject(required);
    const refused = await agent.refused('merge_attempt', { attempt_id });
    expect(refused).toMatchObject({ code: 'checks_required', retryable: false, details: required });
    const [forecast] = (await merge(attempt_id, { dry_run: true })).repos as Json[];
    expect(forecast).toMatchObject({ status: 'failed', error: { code: 'checks_required' } });
    await board.as('maker').refuses('forbidden', 'POST', `/api/attempts/${attempt_id}/merge`, { override: REASON });
    await board.rest.refuses('invalid_argument', 'POST', `/api/attempts/${attempt_id}/merge`, {
      override: { reason: ' ' },
    });
    expect(main(repository)).toBe(before);
    expect(await merge(attempt_id, { override: REASON })).toMatchObject({ state: 'merged' });
    const { entries } = await board.rest.does('GET', `/api/projects/${project_id}/audit`);
    const overridden = (entries as Json[]).find(({ action }) => action === 'checks_overridden');
    expect(overridden).toMatchObject({ details: { ...REASON, failed: ['tests'], attempt_id } });
  });

  it.each([
    ['the branch', async (place: Awaited<ReturnType<typeof ground>>) => followUp(place.attempt_id, 'echo 2 > 2.txt')],
    ['the target', (place: Awaited<ReturnType<typeof ground>>) => moveMain(place.repository, { 'theirs.txt': 'x\n' })],
    ['the definition', (place: Awaited<ReturnType<typeof ground>>) => setChecks(place.project_id, 'true # anew')],
  ])('is refused as stale once %s has moved, and lands when checked anew', async (_, move) => {
    const place = await ground('ls | grep -q ^new', { check_on: 'request' });
    const { attempt_id } = place;
    expect(await refusedMerge('checks_required', attempt_id)).toMatchObject({ missing: ['tests'] });
    await board.rest.does('POST', `/api/attempts/${attempt_id}/checks`, {});
    await untilChecked(attempt_id, 'passed');
    await move(place);
    expect(await refusedMerge('checks_required', attempt_id)).toMatchObject({ stale: ['tests'] });
    await board.rest.does('POST', `/api/attempts/${attempt_id}/checks`, { wait_ms: 20_000 });
    expect(await merge(attempt_id)).toMatchObject({ state: 'merged' });
  });

  it('is checked by the delivery itself, where the project says so', async () => {
    const { attempt_id } = await ground('sleep 1', { check_on: 'delivery' });
    await refusedMerge('checks_running', attempt_id);
    expect(await merge(attempt_id, { wait_ms: 20_000 })).toMatchObject({ state: 'merged' });
  });

  it('is then checked as it would be merged, not as its branch is', async () => {
    const { attempt_id, project_id, repository } = await ground('ls | grep -q ^new && ! ls | grep -q ^theirs', {
      check_on: 'delivery',
    });
    moveMain(repository, { 'theirs.txt': 'x\n' });
    await refusedMerge('checks_running', attempt_id);
    const ofTarget = async () => ((await checksOf(attempt_id)).checks as Json[])[0]!.failed_before as boolean | null;
    await eventually('a failure without the work', ofTarget);
    await setChecks(project_id, 'ls | grep -q ^new && ls | grep -q ^theirs');
    await refusedMerge('checks_running', attempt_id);
    await untilChecked(attempt_id, 'passed');
    expect(await merge(attempt_id)).toMatchObject({ state: 'merged' });
  });

  it('says what to do where what is to be checked does not merge', async () => {
    const { attempt_id, repository } = await ground('true', { check_on: 'delivery' });
    moveMain(repository, { 'new.txt': 'theirs\n' });
    const [result] = (
      await board.rest.does('POST', `/api/attempts/${attempt_id}/checks`, {
        wait_ms: 20_000,
      })
    ).checks as Json[];
    const reason = 'it does not merge into its target: update its branch; then run the checks again';
    expect(result).toMatchObject({ state: 'errored', reason });
  });

  it('passes where checks only warn, and while they run it waits', async () => {
    const { attempt_id, project_id } = await ground('sleep 30', { check_on: 'request' });
    await board.rest.does('POST', `/api/attempts/${attempt_id}/checks`, {});
    await refusedMerge('checks_running', attempt_id);
    await board.rest.does('POST', `/api/attempts/${attempt_id}/stop`, {});
    await untilChecked(attempt_id, 'errored');
    expect(await refusedMerge('checks_required', attempt_id)).toMatchObject({ errored: ['tests'] });
    await board.rest.does('PUT', `/api/projects/${project_id}`, { checks: 'warn' });
    expect(await merge(attempt_id)).toMatchObject({ state: 'merged' });
  });

  it('needs the yes of a person where files were changed that decide its checks, for exactly that commit', async () => {
    const work = `echo '{"scripts":{"test":"true"}}' > package.json; mkdir -p test; echo new > test/new.test.js`;
    const { attempt_id, repository } = await ground('true', {}, work);
    await untilChecked(attempt_id, 'passed');
    expect((await checksOf(attempt_id)).tampering).toEqual(['web/package.json']);
    const refused = await agent.refused('merge_attempt', { attempt_id });
    expect(refused).toMatchObject({
      code: 'checks_required',
      details: { failed: [], tampering: ['web/package.json'] },
    });
    const { approval_id } = refused.details;
    expect(refused.hint).toContain(String(approval_id));
    const [asked, ...others] = (await board.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`))
      .approvals as Json[];
    expect(others).toEqual([]);
    expect(asked).toMatchObject({ approval_id, tool_name: 'accept_changed_checks', status: 'pending' });
    const { files, patch } = asked!.input as { files: string[]; patch: string };
    expect(files).toEqual(['web/package.json']);
    expect(patch).toContain('"test":"true"');
    expect(patch).not.toContain('new.test.js');
    const path = `/api/approvals/${String(approval_id)}/answer`;
    await board.as('maker').refuses('forbidden', 'POST', path, { decision: 'approve' });
    expect(await board.rest.does('POST', path, { decision: 'approve' })).toMatchObject({ status: 'approved' });
    expect((await checksOf(attempt_id)).tampering).toEqual([]);
    expect(await merge(attempt_id, { dry_run: true })).toMatchObject({ repos: [{ status: 'would_land' }] });
    await followUp(attempt_id, 'echo more > more.txt');
    await untilChecked(attempt_id, 'passed');
    const before = main(repository);
    expect(await refusedMerge('checks_required', attempt_id)).toMatchObject({ tampering: ['web/package.json'] });
    expect(main(repository)).toBe(before);
  });
});
