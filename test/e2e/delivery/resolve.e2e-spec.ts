import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Board } from '../../support/board-fixture.js';
import { gate, untilEnded } from '../../support/board.js';
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
  let known = 0;
  beforeAll(async () => {
    ({ attempt_id, repository } = await givenConflict(board));
  });
  beforeEach(async () => {
    moveMain(repository, { 'readme.md': `theirs ${expect.getState().currentTestName}\n` });
    known = (await eventsOf(board.server, attempt_id)).length;
  });
  const update = (more: object) => board.kanban.call('update_attempt_branch', { attempt_id, ...more });
  const events = async () => (await eventsOf(board.server, attempt_id)).slice(known);
  const untilTold = (words: string) =>
    eventually(words, async () => (await events()).find((event) => event.includes(words)));
  const lastPrompt = async (): Promise<string> => {
    const { page } = await board.kanban.call('tail_session_messages', { attempt_id });
    return (page.entries as { prompt: string }[]).at(-1)!.prompt;
  };

  it('is completed by itself, without a merge or anything else that is asked for, once for each request', async () => {
    const handed = resolving(attempt_id, RESOLVED, { request_id: `resolve-${attempt_id}` });
    const before = await runsOf(board.server, attempt_id);
    const first = await update(handed);
    await untilTold(TAKEN_IN);
    expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({
      state: 'ready',
      repos: [{ operation: null, behind: 0 }],
    });
    expect((await board.kanban.refused('update_attempt_branch', { attempt_id, action: 'continue' })).code).toBe(
      'no_operation',
    );
    expect(await update(handed)).toMatchObject(first);
    expect(await update(resolving(attempt_id, RESOLVED))).toMatchObject({
      resolving: false, // without a conflict
      repos: [{ status: 'up_to_date' }],
    });
    expect(await runsOf(board.server, attempt_id)).toEqual([...before, 'codingagent completed']);
  });

  it('is not completed once it was given up', async () => {
    await update(resolving(attempt_id, 'sleep 600'));
    await eventually('the run', async () => (await runsOf(board.server, attempt_id)).at(-1) === 'codingagent running');
    await board.kanban.call('stop_attempt', { attempt_id, force: true });
    await untilTold('the update was not completed');
    await update({ action: 'abort' });
    expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({ repos: [{ operation: null, behind: 1 }] });
    expect(
      (await board.kanban.refused('update_attempt_branch', { attempt_id, action: 'abort', resolve: true })).code,
    ).toBe('invalid_argument');
  });

  it('stays where the turn fails or leaves conflicts, says so, and can be handed over once more', async () => {
    const staying = async (resolve: unknown, reason: string) => {
      known = (await eventsOf(board.server, attempt_id)).length;
      expect(await update({ action: 'start', resolve })).toMatchObject({ resolving: true });
      expect(await untilTold('the update was not completed')).toContain(reason);
      expect(await deliveryOf(board.kanban, attempt_id)).toMatchObject({ state: 'conflicted' });
      expect(await board.kanban.call('get_attempt_status', { attempt_id })).toMatchObject({
        delivery_state: 'conflicted',
      });
    };
    const fails = { prompt: 'write readme.md <<< half\nfail no more' };
    await staying(fails, 'The last run of the attempt failed or was stopped');
    await staying({ prompt: 'say I do not know' }, 'Conflicts are not resolved yet: web/readme.md');
    await staying(true, 'Conflicts are not resolved yet: web/readme.md');
    await update(resolving(attempt_id, RESOLVED));
    await untilTold(TAKEN_IN);
  });

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
    expect(await update({ ...next.arguments, resolve: { prompt: RESOLVED } })).toMatchObject({
      resolving: true,
      repos: [{ status: 'conflict' }],
    });
    expect(await board.untilEnded(attempt_id)).toMatchObject({ state: 'completed' });
    expect(await board.kanban.call('merge_attempt', { attempt_id })).toMatchObject({ state: 'merged' });
    expect(repository.git('show', 'main:readme.md')).toBe('ours and theirs');
    expect(await events()).toContain(TAKEN_IN);
    expect(await lastPrompt()).toContain('- "web/readme.md": content (ours modified, theirs modified)');
  });

  it('is completed by itself, too, where a follow-up asks the agent', async () => {
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'write readme.md <<< ours again' });
    await board.untilEnded(attempt_id);
    await update({ action: 'start' });
    const asking = { attempt_id, action: 'send', resolve: true };
    await board.kanban.call('follow_up', { ...asking, prompt: RESOLVED });
    await board.untilEnded(attempt_id);
    expect(await board.kanban.call('merge_attempt', { attempt_id })).toMatchObject({ state: 'merged' });
    expect(repository.git('show', 'main:readme.md')).toBe('ours and theirs');
    const asked = await lastPrompt();
    expect(asked).toContain('has stopped');
    expect(asked).toContain('- "web/readme.md": content (ours modified, theirs modified)');
    expect(asked).toContain('git add -A && git commit --no-edit');
    expect((await board.kanban.refused('follow_up', asking)).code).toBe('no_operation');
  });
});

describe('the update of an agent whose server ends between its turn and the continuation', () => {
  it('is completed by the next server', async () => {
    const board = await Board.start();
    const { attempt_id } = await givenConflict(board);
    const lane = new pg.Client({ connectionString: board.server.database.url });
    await lane.connect();
    const { wait, open } = gate(board.server);
    await board.kanban.call('update_attempt_branch', resolving(attempt_id, `${RESOLVED}\nrun bash -c '${wait}'`));
    await lane.query(`SELECT pg_advisory_lock(hashtextextended('lane attempt ' || $1, 0))`, [attempt_id]);
    open();
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
