import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';
import { InProcessServer } from '../../support/in-process-server.js';

const server = InProcessServer.use({ REQUIRE_HUMAN_APPROVAL: 'off' });
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await givenProject(server));
});

interface Asked extends Json {
  approval_id: string;
  attempt_id: string;
  task_id: string;
}

/** A run of the DEMO agent that waits for permission to say a word. */
async function givenAsked(word: string, project = project_id): Promise<Asked> {
  const client = await server.mcp();
  const task_id = await givenTask(client, project);
  const prompt = `ask echo ${word}`;
  const started = await client.call('start_task_attempt', { task_id, executor: 'DEMO', variant: 'APPROVALS', prompt });
  const attempt_id = started.attempt_id as string;
  const asked = await eventually('the request', async () => {
    const { body } = await server.rest.get(`/api/approvals?attempt_id=${attempt_id}`);
    return (body.approvals as Json[])[0];
  });
  return { ...asked!, approval_id: asked!.approval_id as string, attempt_id, task_id };
}

const answer = (approval_id: string, decision: string, headers: Record<string, string> = {}): Promise<Json> =>
  server.rest.post(`/api/approvals/${approval_id}/answer`, { decision }, headers);
const stored = async (approval_id: string): Promise<Json> =>
  (await server.query<Json>('SELECT status, answered_by FROM approvals WHERE id = $1', [approval_id]))[0]!;

/** Whether the tool that was asked for did run. */
async function didRun(attempt_id: string, word: string): Promise<boolean> {
  const client = await server.mcp();
  await untilEnded(client, attempt_id);
  const { page } = await client.call('tail_attempt_logs', { attempt_id, after_entry_index: -1, limit: 1_000 });
  const entries = (page.entries as Json[]).map(({ entry }) => entry as Json);
  return entries.some(({ type, content }) => type === 'tool_result' && String(content).includes(word));
}

async function settledEvents(attempt_id: string): Promise<Json[]> {
  const rows = await server.query<{ entry: Json }>(
    `SELECT e AS entry FROM log_chunks, jsonb_array_elements(entries) e
     WHERE attempt_id = $1 AND channel = 'events' AND e->>'type' = 'approval_settled'`,
    [attempt_id],
  );
  return rows.map(({ entry }) => entry.metadata as Json);
}

describe('the answer to an approval request (S13)', () => {
  it('is a row of the audit and an event, and shows who gave it', async () => {
    const { approval_id, attempt_id, task_id, execution_process_id } = await givenAsked('audited');
    const { body } = await answer(approval_id, 'approve', { 'x-user-id': 'grace' });
    expect(body).toMatchObject({ status: 'approved', answered_by: '@grace' });
    const audit = await server.rest.get(`/api/tasks/${task_id}/audit`);
    expect((audit.body.entries as Json[]).filter(({ action }) => action === 'approval_answered')).toEqual([
      expect.objectContaining({
        entity_type: 'execution',
        entity_id: execution_process_id,
        actor: '@grace',
        details: { attempt_id, approval_id, tool_name: expect.any(String), before: 'pending', after: 'approved' },
      }),
    ]);
    expect(await settledEvents(attempt_id)).toEqual([{ approval_id, status: 'approved' }]);
    await untilEnded(await server.mcp(), attempt_id);
  });

  it('is waited for in a crowd', async () => {
    const hub = server.app.get(ChangeHub);
    const crowd = Array.from({ length: 2_100 }, () => hub.subscribe('crowd'));
    const { approval_id, attempt_id } = await givenAsked('crowded');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await stored(approval_id)).toMatchObject({ status: 'pending' });
    crowd.forEach((waiter) => waiter.close());
    await answer(approval_id, 'approve');
    expect(await didRun(attempt_id, 'crowded')).toBe(true);
  });

  it('is waited for where the database fails for a while', async () => {
    const { approval_id, attempt_id } = await givenAsked('through-the-outage');
    await server.query('ALTER TABLE approvals RENAME TO approvals_away');
    server.app.get(ChangeHub).changed(attempt_id); // look now
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await server.query('ALTER TABLE approvals_away RENAME TO approvals');
    expect((await answer(approval_id, 'approve')).status).toBe(200);
    expect(await didRun(attempt_id, 'through-the-outage')).toBe(true);
  });

  it('is not a denial where the server ends: the run is cut off', async () => {
    const { approval_id, attempt_id } = await givenAsked('cut-off');
    await server.restart({ REQUIRE_HUMAN_APPROVAL: 'off' });
    expect(await didRun(attempt_id, 'cut-off')).toBe(false);
    expect(await stored(approval_id)).toMatchObject({ status: 'cancelled', answered_by: null });
  });
});

describe('an agent that answers approval requests (S13)', () => {
  const asAgent = { 'x-user-id': '@answerer' };
  beforeAll(async () => {
    await server.rest.post('/api/workers', { handle: '@answerer', name: 'Answerer', type: 'agent' });
  });

  it('answers those of others', async () => {
    const { approval_id, attempt_id } = await givenAsked('by-an-agent');
    expect(await answer(approval_id, 'approve', asAgent)).toMatchObject({
      status: 200,
      body: { status: 'approved', answered_by: '@answerer' },
    });
    expect(await didRun(attempt_id, 'by-an-agent')).toBe(true);
  });

  it('never answers its own', async () => {
    const { approval_id, task_id } = await givenAsked('its-own');
    await server.rest.patch(`/api/tasks/${task_id}/assign`, { assignee_handle: '@answerer' });
    expect(await answer(approval_id, 'approve', asAgent)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(await stored(approval_id)).toMatchObject({ status: 'pending' });
    expect((await answer(approval_id, 'deny')).status).toBe(200);
  });

  it('answers none where a person must', async () => {
    await server.restart({ REQUIRE_HUMAN_APPROVAL: 'on' });
    const { approval_id, attempt_id } = await givenAsked('by-a-person');
    expect(await answer(approval_id, 'approve', asAgent)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect((await answer(approval_id, 'approve', { 'x-user-id': 'grace' })).status).toBe(200);
    expect(await didRun(attempt_id, 'by-a-person')).toBe(true);
  });
});

describe('the deadline of an approval request (S13)', () => {
  beforeAll(() => server.restart({ APPROVAL_TIMEOUT_SECS: '4', REQUIRE_HUMAN_APPROVAL: 'off' }));

  it('lets an answer that comes with it be what the agent hears', async () => {
    const { approval_id, attempt_id } = await givenAsked('at-the-deadline');
    const other = new pg.Client({ connectionString: server.database.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query("UPDATE approvals SET status = 'approved', answered_by = '@ada' WHERE id = $1", [approval_id]);
    await new Promise((resolve) => setTimeout(resolve, 5_000)); // the deadline passes before the commit
    await other.query('COMMIT');
    await other.end();
    expect(await didRun(attempt_id, 'at-the-deadline')).toBe(true);
    expect(await stored(approval_id)).toEqual({ status: 'approved', answered_by: '@ada' });
  });

  it('is an event where no answer came, as a stop is', async () => {
    const late = await givenAsked('late');
    const stopped = await givenAsked('stopped');
    await (await server.mcp()).call('stop_attempt', { attempt_id: stopped.attempt_id });
    expect(await didRun(late.attempt_id, 'late')).toBe(false);
    expect(await settledEvents(late.attempt_id)).toEqual([{ approval_id: late.approval_id, status: 'timed_out' }]);
    expect(await settledEvents(stopped.attempt_id)).toEqual([
      { approval_id: stopped.approval_id, status: 'cancelled' },
    ]);
  });
});
