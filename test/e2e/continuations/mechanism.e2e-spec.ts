import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Jobs } from '../../../src/cluster/jobs.js';
import { Lanes } from '../../../src/cluster/lanes.js';
import { ContinuationFiring } from '../../../src/continuations/continuation-firing.js';
import { Database } from '../../../src/platform/database/database.js';
import { jobQueues } from '../../../src/cluster/job-queues.js';
import { laneOf } from '../../../src/turns/turns.service.js';
import { gate, givenAttemptWithoutSession } from '../../support/board.js';
import { continuationsOf, sendNow } from '../../support/continuations.js';
import { eventually } from '../../support/eventually.js';
import { GitHttpServer } from '../../support/git-http-server.js';
import { InProcessBoard } from '../../support/in-process-server.js';
import type { Json } from '../../support/mcp-client.js';
import { eventsOf } from '../../support/runs.js';

const board = InProcessBoard.use({ REPOSITORY_HOSTS: '127.0.0.1' });
const { part, plan, listed, until, prompts, openJobs, jobOf } = continuationsOf(board);

let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
  await board.worker('@ada', 'human', 'ada');
});

const ended = async (more: object = {}): Promise<Json> => board.endedAttempt(project_id, 'echo begun', more);

describe('what an attempt goes on with by itself', () => {
  it('is sent once its time has come, in the name and at the cost of whoever began', async () => {
    const task_id = await board.task(project_id);
    const ada = await board.mcpAs('ada', '/mcp');
    const { attempt_id } = await ada.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'echo begun' });
    await board.untilEnded(attempt_id as string);
    await plan(attempt_id as string, { delay_secs: 600 });
    expect(await listed(attempt_id as string)).toMatchObject([{ state: 'due', cause: 'repair', round: 1 }]);
    await sendNow(board);
    const sent = await until(attempt_id as string, 'sent');
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({ final_message: 'went on' });
    expect(await prompts(attempt_id as string)).toEqual(['echo begun', 'echo went on']);
    const [first, second] = await board.server.query<{ id: string; started_by: string }>(
      'SELECT id, started_by FROM executions WHERE attempt_id = $1 ORDER BY number',
      [attempt_id],
    );
    expect(second).toMatchObject({ id: sent.execution_process_id, started_by: first!.started_by });
    const started = (await board.audit(task_id)).filter(({ action }) => action === 'run_started');
    expect(started).toMatchObject([
      { actor: '@ada', caller: expect.not.stringMatching(/^@taskyard$/) },
      { actor: '@ada', caller: '@taskyard' },
    ]);
    expect(await eventsOf(board.server, attempt_id as string)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^goes on by itself at /), 'went on by itself (repair, round 1)']),
    );
    expect(await openJobs()).toBe(0);
  });

  it('is planned once for one cause, and rolls back with what saw it', async () => {
    const { attempt_id } = await ended();
    const rolledBack = part(Database).transaction(async () => {
      await plan(attempt_id, { delay_secs: 600 });
      throw new Error('after all not');
    });
    await expect(rolledBack).rejects.toThrow('after all not');
    expect([await listed(attempt_id), await openJobs()]).toEqual([[], 0]);
    expect(await plan(attempt_id, { delay_secs: 600 })).toBe(true);
    expect(await plan(attempt_id, { delay_secs: 600 })).toBe(false);
    expect([(await listed(attempt_id)).length, await openJobs()]).toEqual([1, 1]);
    const { continuation_id } = await until(attempt_id, 'due');
    const path = `/api/attempts/${attempt_id}/continuations/${continuation_id as string}`;
    expect(await board.rest.does('DELETE', path)).toMatchObject({
      continuations: [{ state: 'dropped', reason: 'it was stopped' }],
    });
    expect(await openJobs()).toBe(0);
    await board.rest.refuses('continuation_gone', 'DELETE', path);
  });

  it('is dropped by a message of somebody, a stop and the end of its task, and its job with it', async () => {
    const { attempt_id, task_id } = await ended();
    const acts: [reason: string, path: string, body: object][] = [
      ['somebody sent a message', 'follow-up', { action: 'send', prompt: 'echo mine' }],
      ['the attempt was stopped', 'stop', {}],
    ];
    for (const [reason, path, body] of acts) {
      await plan(attempt_id, { key: reason, delay_secs: 600 });
      await board.rest.does('POST', `/api/attempts/${attempt_id}/${path}`, body);
      expect((await listed(attempt_id))[0]).toMatchObject({ state: 'dropped', reason });
      expect(await openJobs()).toBe(0);
      await board.untilEnded(attempt_id);
    }
    await board.kanban.call('update_task', { task_id, status: 'cancelled' });
    await plan(attempt_id, { key: 'the end of the task' });
    expect(await until(attempt_id, 'dropped')).toMatchObject({ reason: 'the task is closed' });
  });

  it('waits for what is live and for a delivery, and then goes on', async () => {
    const { attempt_id } = await ended();
    const { wait, open } = gate(board.server);
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: wait });
    await plan(attempt_id);
    expect(await until(attempt_id, 'queued')).toMatchObject({ reason: 'The attempt already has a live run.' });
    await part(Lanes).run(laneOf(attempt_id), async () => {
      open();
      await eventually('the delivery in the way', async () => /delivered/.test((await listed(attempt_id))[0]!.reason));
    });
    await until(attempt_id, 'sent');
    expect((await prompts(attempt_id)).slice(-1)).toEqual(['echo went on']);
  });

  it('is not sent for somebody who has lost the right to, which a person is told', async () => {
    const { project_id } = await board.project();
    const task_id = await board.task(project_id);
    const ada = await board.mcpAs('ada', '/mcp');
    const { attempt_id } = await ada.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'echo begun' });
    await board.untilEnded(attempt_id as string);
    await board.worker('@grace', 'human');
    await board.member(project_id, '@grace', 'owner');
    await plan(attempt_id as string);
    expect(await until(attempt_id as string, 'exhausted')).toMatchObject({ reason: 'Not a member of this project' });
    const { events } = await board.rest.does('GET', `/api/events?project_id=${project_id}`);
    expect((events as Json[]).map(({ type }) => type as string)).toEqual(
      expect.arrayContaining(['taskyard.continuation.due', 'taskyard.continuation.exhausted']),
    );
    await board.member(project_id, '@ada', 'viewer');
    await plan(attempt_id as string, { key: 'of a viewer' });
    await eventually('the second', async () =>
      /execute/.test((await listed(attempt_id as string))[0]!.reason as string),
    );
    expect(await listed(attempt_id as string)).toMatchObject([{ state: 'exhausted' }, { state: 'exhausted' }]);
    expect(await prompts(attempt_id as string)).toEqual(['echo begun']);
  });

  it('is sent again where its job is gone, and never twice where it is not', async () => {
    const { attempt_id } = await ended();
    await plan(attempt_id, { delay_secs: 600 });
    await board.server.query('UPDATE continuations SET due_at = now() WHERE attempt_id = $1', [attempt_id]);
    expect(await part(ContinuationFiring).sendAgain(10)).toBe(0);
    await board.server.query("DELETE FROM queue.job WHERE name = 'continuations' AND state < 'completed'");
    expect(await part(ContinuationFiring).sendAgain(10)).toBe(1);
    await until(attempt_id, 'sent');
    expect(await part(ContinuationFiring).sendAgain(10)).toBe(0);
    await board.untilEnded(attempt_id);
    expect(await prompts(attempt_id)).toEqual([expect.stringMatching(/echo begun$/), 'echo went on']);
  });

  it('is sent once though two hear its clock, of whom one rolls back', async () => {
    const { attempt_id } = await ended();
    await plan(attempt_id, { delay_secs: 600 });
    const [row] = await board.server.query<{ job_id: string }>(
      'SELECT job_id FROM continuations WHERE attempt_id = $1',
      [attempt_id],
    );
    const job = { id: row!.job_id, complete: () => Promise.resolve() };
    const late = { id: row!.job_id, complete: () => Promise.reject(new Error('given to another process')) };
    const heard = await Promise.allSettled([late, job, late, job].map((one) => part(ContinuationFiring).fire(one)));
    expect(heard.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    await board.untilEnded(attempt_id);
    expect(await prompts(attempt_id)).toEqual([expect.stringMatching(/echo begun$/), 'echo went on']);
    await part(Database).transaction((tx) => part(Jobs).cancel(tx, 'continuations', [row!.job_id]));
  });

  it('is dropped once due where its task was deleted, before or meanwhile, and nothing fails or runs', async () => {
    const [before, meanwhile] = [await ended(), await ended()];
    for (const { attempt_id } of [before, meanwhile]) await plan(attempt_id, { delay_secs: 600 });
    await board.rest.does('DELETE', `/api/tasks/${before.task_id as string}`);
    await board.server.query("UPDATE queue.job SET start_after = now() WHERE name = 'continuations' AND id = $1", [
      (await jobOf(before.attempt_id)).id,
    ]);
    const { id } = await jobOf(meanwhile.attempt_id);
    let decide = () => {};
    const isDecided = new Promise<void>((resolve) => (decide = resolve));
    let isLocked = false;
    const deletion = part(Database).transaction(async () => {
      await part(Database).query('UPDATE tasks SET deleted_at = now() WHERE id = $1', [meanwhile.task_id]);
      isLocked = true;
      await isDecided;
    });
    await eventually('the deletion', () => isLocked);
    const fired = part(ContinuationFiring).fire({ id, complete: () => Promise.resolve() });
    await eventually('it to wait for the deletion', async () => {
      const waiting = await board.server.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return waiting.length > 0;
    });
    decide();
    await Promise.all([deletion, fired]);
    for (const { attempt_id } of [before, meanwhile]) {
      const row = await eventually('it to be dropped', async () => {
        const [found] = await board.server.query<Json>(
          "SELECT state, reason FROM continuations WHERE attempt_id = $1 AND state <> 'due'",
          [attempt_id],
        );
        return found ?? null;
      });
      expect(row).toEqual({ state: 'dropped', reason: 'the task was deleted' });
      expect(await prompts(attempt_id)).toHaveLength(1);
    }
    expect(await jobOf(before.attempt_id)).toMatchObject({ state: 'completed', retry_count: 0 });
    await part(Database).transaction((tx) => part(Jobs).cancel(tx, 'continuations', [id]));
  });

  describe('beside a remote that does not answer', () => {
    let remote: GitHttpServer;
    const clones: Promise<unknown>[] = [];
    beforeAll(async () => {
      remote = await GitHttpServer.start(board.server.repositories.dir);
    });
    afterAll(async () => {
      await remote.stop();
      await Promise.all(clones);
    });

    it('is sent at its time, and goes with a stop of an attempt whose worktree waits for it', async () => {
      const url = `http://${remote.host}/${path.basename(board.repository().dir)}/.git`;
      const cloned = async (name: string): Promise<string> =>
        (await board.rest.does('POST', '/api/projects', { name, repos: [{ url, name: 'web' }] })).project_id as string;
      const slow = await cloned('Slow'); // is fetched for its first worktree
      const [here, there] = [await ended(), await board.endedAttempt(await cloned('Fetched'))];
      remote.fault = 'hang';
      const before = remote.requests.length;
      let isAnswered = false;
      const clone = board.rest.post('/api/projects', { name: 'Never', repos: [{ url, name: 'web' }] });
      clones.push(clone.finally(() => (isAnswered = true)));
      const places = Array.from({ length: jobQueues.prepare_workspace.places }, () =>
        givenAttemptWithoutSession(board.server, board.kanban, slow),
      );
      await Promise.all(places);
      await eventually('a clone and a fetch to wait', () => remote.requests.length >= before + 2);
      const waiting = await board.attempt(slow);
      for (const { attempt_id } of [here, there]) {
        await plan(attempt_id);
        await until(attempt_id, 'sent');
        expect((await board.untilEnded(attempt_id)).final_message).toBe('went on');
      }
      await plan(waiting.attempt_id, { key: 'of one that waits' });
      await until(waiting.attempt_id, 'queued');
      await board.rest.does('POST', `/api/attempts/${waiting.attempt_id}/stop`, { force: true });
      expect((await listed(waiting.attempt_id))[0]).toMatchObject({ reason: 'the attempt was stopped' });
      expect(await openJobs()).toBe(0);
      expect(isAnswered).toBe(false);
    });
  });
});
