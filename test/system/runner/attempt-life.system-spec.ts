import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { AttemptRunners, ended } from '../../support/attempt-runners.js';
import {
  givenAttempt,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
  untilEnded,
} from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { ServerProcess } from '../../support/server-process.js';

const IN_ORDER = { code: 0, signal: null };

describe('a runner that lives for one attempt', () => {
  let ground: AttemptRunners;
  let project: Project;
  const say = (attempt_id: unknown, prompt: string) =>
    ground.client.call('follow_up', { attempt_id, action: 'send', prompt });

  beforeAll(async () => {
    ground = await AttemptRunners.open({ RUNNER_IDLE_SECS: '2', RUNNER_UNUSED_SECS: '60' });
    project = await givenProject(ground.api, { files: { 'a.txt': 'a\n' } });
  });
  afterAll(() => ground.close());

  it('ends where nothing comes, and is known no more', async () => {
    expect(await ended(await ground.start({ RUNNER_UNUSED_SECS: '1' }))).toEqual(IN_ORDER);
    expect(await ground.states()).toEqual([]);
  });

  it('takes one attempt alone, ends when that has rested, and leaves all of its work to the next', async () => {
    const runner = await ground.start({ RUNNER_IDLE_SECS: '15' }); // warm for as long as a busy machine takes
    const { attempt_id } = await givenAttempt(ground.client, project.project_id, 'echo mine > own.txt; sleep 3');
    await eventually('its turn to be taken', async () => (await ground.runners()).some(({ busy }) => busy === 1));
    const other = await givenAttempt(ground.client, project.project_id, 'echo other');
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ state: 'completed' });
    await say(attempt_id, 'cat own.txt'); // a warm one
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ final_message: 'mine' });
    project.repository.write({ 'b.txt': 'b\n' });
    project.repository.commit('meanwhile');
    await ground.client.call('update_attempt_branch', { attempt_id, action: 'start' });
    expect(await ended(runner)).toEqual(IN_ORDER);
    expect(await ground.states()).toEqual([]);
    expect(await ground.client.call('get_attempt_status', { attempt_id: other.attempt_id })).toMatchObject({
      waiting_reason: { code: 'no_runner', label: null },
    });
    const { files } = await ground.client.call('get_attempt_changes', { attempt_id }); // by the keeper
    expect(files).toEqual(['web/own.txt']);
    const next = [await ground.start(), await ground.start()];
    await say(attempt_id, 'cat own.txt b.txt');
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'mine\nb',
    });
    expect(await untilEnded(ground.client, other.attempt_id as string)).toMatchObject({ final_message: 'other' });
    expect(await Promise.all(next.map(ended))).toEqual([IN_ORDER, IN_ORDER]);
    expect(await ground.client.call('merge_attempt', { attempt_id, checked_out: 'update' })).toMatchObject({
      repos: [{ status: 'landed' }],
    }); // by the keeper
  });

  it.each(['before', 'after'])('strands no message that comes right %s its end', async (when) => {
    const runner = await ground.start({ RUNNER_IDLE_SECS: '8' }); // time enough for the lock below
    const attempt = await givenEndedAttempt(ground.client, project.project_id, 'echo work > work.txt');
    const held = new pg.Client({ connectionString: ground.api.settings.DATABASE_URL });
    await held.connect();
    const waiting = async (count: number) =>
      eventually(`${count} that wait for the attempt`, async () => {
        const { rows } = await held.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return rows.length >= count;
      });
    await held.query('BEGIN');
    await held.query('SELECT 1 FROM attempts WHERE id = $1 FOR UPDATE', [attempt.attempt_id]);
    if (when === 'after') await waiting(1); // the end of the runner
    const said = say(attempt.attempt_id, 'cat work.txt');
    await waiting(when === 'after' ? 2 : 1);
    await held.query('COMMIT');
    await held.end();
    await said;
    if (when === 'after') {
      expect(await ended(runner)).toEqual(IN_ORDER);
      await ground.start({ RUNNER_IDLE_SECS: '1' });
    }
    expect(await untilEnded(ground.client, attempt.attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'work',
    });
    await eventually('the end of all', async () => (await ground.states()).length === 0);
  });

  it('does not end while its turn waits for a person', async () => {
    const runner = await ground.start({ RUNNER_IDLE_SECS: '1', RUNNER_UNUSED_SECS: '10' });
    const task_id = await givenTask(ground.client, project.project_id);
    const start = { task_id, executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo allowed' };
    const { attempt_id } = await ground.client.call('start_task_attempt', start);
    const request = await eventually('its request', async () => {
      const { approvals } = await ground.api.rest.does('GET', `/api/approvals?attempt_id=${attempt_id as string}`);
      return (approvals as Json[])[0];
    });
    await delay(12_000); // beyond both times
    expect(await ground.states()).toEqual(['ready']);
    await ground.api.rest.does('POST', `/api/approvals/${request!.approval_id as string}/answer`, {
      decision: 'approve',
    });
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ state: 'completed' });
    expect(await ended(runner)).toEqual(IN_ORDER);
  });

  it('does not end in a turn that says nothing, and leaves what was saved where it is killed', async () => {
    const runner = await ground.start({ RUNNER_IDLE_SECS: '1' });
    const { attempt_id } = await givenAttempt(
      ground.client,
      project.project_id,
      'echo half > work.txt; sleep 4; echo said; exec sleep 600',
    );
    await untilSaid(ground.client, attempt_id as string, 'said');
    await runner.end('SIGKILL');
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: 'runner lost: it went silent',
    });
    expect(await ground.states()).toEqual(['lost']);
    await say(attempt_id, 'cat work.txt');
    const next = await ground.start({ RUNNER_IDLE_SECS: '1' });
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ final_message: 'half' });
    expect(await ended(next)).toEqual(IN_ORDER);
  });

  it('does not start where its work would be lost', async () => {
    const settings = { ...ground.api.settings, ROLE: 'runner', RUNNER_LIFE: 'attempt', WORKSPACE_STORE: 'none' };
    expect(await ServerProcess.run(settings)).toMatchObject({
      code: 1,
      output: expect.stringContaining('RUNNER_LIFE=attempt requires a WORKSPACE_STORE other than none'),
    });
  });
});
