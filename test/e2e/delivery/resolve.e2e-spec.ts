import { beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Board } from '../../support/board-fixture.js';
import { untilEnded } from '../../support/board.js';
import { moveMain } from '../../support/delivery-ground.js';
import { eventually } from '../../support/eventually.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { eventsOf, runsOf } from '../../support/runs.js';
import { TestServer } from '../../support/server.js';

const RESOLVED = 'write readme.md <<< ours and theirs\nrun git add -A';
const TAKEN_IN = 'the target was taken into the branch';

/** An ended attempt whose work conflicts with main, which is nowhere checked out. */
async function givenConflict(board: Pick<Board, 'kanban' | 'project' | 'task'>) {
  const { project_id, repository } = await board.project({ files: { 'readme.md': 'base\n' } });
  repository.git('checkout', '--quiet', '-b', 'elsewhere');
  const task_id = await board.task(project_id, 'Write the readme', 'write readme.md <<< ours');
  const { attempt_id } = await board.kanban.call('start_task_attempt', { task_id, executor: 'DEMO' });
  await untilEnded(board.kanban, attempt_id as string);
  moveMain(repository, { 'readme.md': 'theirs\n' });
  return { attempt_id: attempt_id as string, repository };
}

const resolving = (attempt_id: string, prompt: string, more: object = {}) => ({
  attempt_id,
  action: 'start',
  resolve: { prompt },
  ...more,
});
const deliveryOf = (client: McpClient, attempt_id: string): Promise<Json> =>
  client.call('get_attempt_delivery', { attempt_id });

describe('a conflict that is handed to the agent', () => {
  const board = Board.share();
  let attempt_id: string;
  let repository: GitRepository;
  beforeEach(async () => {
    ({ attempt_id, repository } = await givenConflict(board));
  });
  const untilTold = (words: string) =>
    eventually(words, async () => (await eventsOf(board.server, attempt_id)).find((event) => event.includes(words)));

  it('is resolved and merged by hints alone: refusal, update, wait, merge', async () => {
    const conflict = await board.kanban.refused('merge_attempt', { attempt_id });
    expect(conflict).toMatchObject({
      code: 'merge_conflict',
      details: {
        files: [{ path: 'web/readme.md' }],
        next: { tool: 'update_attempt_branch', arguments: { attempt_id, action: 'start', resolve: {} } },
      },
    });
    expect(await board.kanban.call('get_attempt_status', { attempt_id })).toMatchObject({
      delivery_state: 'conflicted',
    });
    const { next } = conflict.details as { next: { arguments: Json } };
    const update = { ...next.arguments, resolve: { prompt: RESOLVED } };
    expect(await board.kanban.call('update_attempt_branch', update)).toMatchObject({
      resolving: true,
      repos: [{ status: 'conflict' }],
    });
    expect(await board.untilEnded(attempt_id)).toMatchObject({ state: 'completed' });
    expect(await board.kanban.call('merge_attempt', { attempt_id })).toMatchObject({ state: 'merged' });
    expect(repository.git('show', 'main:readme.md')).toBe('ours and theirs');
    expect(await eventsOf(board.server, attempt_id)).toContain(TAKEN_IN);
    const { page } = await board.kanban.call('tail_session_messages', { attempt_id });
    const prompts = (page.entries as { prompt: string }[]).map(({ prompt }) => prompt);
    expect(prompts.at(-1)).toContain('- "web/readme.md": content (ours modified, theirs modified)');
  });

  it('is completed by itself, without a merge or anything else that is asked for', async () => {
    await board.kanban.call('update_attempt_branch', resolving(attempt_id, RESOLVED));
    await untilTold(TAKEN_IN);
    expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({
      state: 'ready',
      repos: [{ operation: null, behind: 0 }],
    });
    const again = { attempt_id, action: 'continue' };
    expect((await board.kanban.refused('update_attempt_branch', again)).code).toBe('no_operation');
  });

  it.each([
    ['fails', 'write readme.md <<< half\nfail no more', 'The last run of the attempt failed or was stopped'],
    ['leaves conflicts', 'say I do not know', 'Conflicts are not resolved yet: web/readme.md'],
  ])('stays where the turn %s, says so, and can be handed over once more', async (_, prompt, reason) => {
    await board.kanban.call('update_attempt_branch', resolving(attempt_id, prompt));
    expect(await untilTold('the update was not completed')).toContain(reason);
    expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({ state: 'conflicted' });
    expect(await board.kanban.call('get_attempt_status', { attempt_id })).toMatchObject({
      delivery_state: 'conflicted',
    });
    await board.kanban.call('update_attempt_branch', resolving(attempt_id, RESOLVED));
    await untilTold(TAKEN_IN);
  });

  it('is handed over once for each request, and not at all without a conflict', async () => {
    const update = resolving(attempt_id, RESOLVED, { request_id: `resolve-${attempt_id}` });
    const first = await board.kanban.call('update_attempt_branch', update);
    await untilTold(TAKEN_IN);
    expect(await board.kanban.call('update_attempt_branch', update)).toMatchObject(first);
    expect(await board.kanban.call('update_attempt_branch', resolving(attempt_id, RESOLVED))).toMatchObject({
      resolving: false,
      repos: [{ status: 'up_to_date' }],
    });
    const runs = await runsOf(board.server, attempt_id);
    expect(runs).toEqual(['codingagent completed', 'codingagent completed']);
  });

  it('is not completed once it was given up', async () => {
    await board.kanban.call('update_attempt_branch', resolving(attempt_id, 'sleep 600'));
    await eventually('the run', async () => (await runsOf(board.server, attempt_id))[1] === 'codingagent running');
    await board.kanban.call('stop_attempt', { attempt_id, force: true });
    await untilTold('the update was not completed');
    await board.kanban.call('update_attempt_branch', { attempt_id, action: 'abort' });
    expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({ repos: [{ operation: null, behind: 1 }] });
  });

  it('takes yes for an answer, and only with a start', async () => {
    const update = { attempt_id, resolve: true };
    expect((await board.kanban.refused('update_attempt_branch', { ...update, action: 'abort' })).code).toBe(
      'invalid_argument',
    );
    expect(await board.kanban.call('update_attempt_branch', { ...update, action: 'start' })).toMatchObject({
      resolving: true,
    });
  });

  it('is never given to an executor that takes scripts: nothing begins', async () => {
    const { attempt_id: scripted } = await board.endedAttempt((await board.project()).project_id, 'true');
    expect(await board.kanban.refused('update_attempt_branch', resolving(scripted as string, 'x'))).toMatchObject({
      code: 'executor_takes_scripts',
    });
  });
});

describe('the update of an agent whose server ends between its turn and the continuation', () => {
  it('is completed by the next server', async () => {
    const board = await Board.start();
    const { attempt_id } = await givenConflict(board);
    const lane = new pg.Client({ connectionString: board.server.database.url });
    await lane.connect();
    await board.kanban.call('update_attempt_branch', resolving(attempt_id, `${RESOLVED}\nsleep 1`));
    await lane.query(`SELECT pg_advisory_lock(hashtextextended('lane attempt ' || $1, 0))`, [attempt_id]);
    await untilEnded(board.kanban, attempt_id);
    expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({ state: 'updating' });
    expect(await eventsOf(board.server, attempt_id)).not.toContain(TAKEN_IN);
    await board.server.close();
    await lane.end();

    const { database, repositories, environment, gates } = board.server;
    gates.close();
    const next = await TestServer.start({ DATA_DIR: environment.DATA_DIR }, database, repositories);
    const client = await next.mcp();
    await eventually('the end of the update', async () => (await deliveryOf(client, attempt_id)).state === 'ready');
    expect(await eventsOf(next, attempt_id)).toContain(TAKEN_IN);
    await next.stop();
  });
});
