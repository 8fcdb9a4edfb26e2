import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  gate,
  givenAttempt,
  givenAttemptWithoutSession,
  givenEndedAttempt,
  givenProject,
  type Project,
  untilEnded,
} from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
const gates: (() => void)[] = [];
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});
afterEach(() => gates.splice(0).forEach((open) => open()));

async function givenRunningAttempt(): Promise<Json & { open: () => void }> {
  const { wait, open } = gate(server);
  gates.push(open);
  return { ...(await givenAttempt(client, project.project_id, wait)), open };
}

async function transcript(attempt_id: string): Promise<Json[]> {
  return (await client.call('tail_session_messages', { attempt_id })).page.entries;
}

async function expectSent(answer: Json, attempt: Json): Promise<void> {
  expect(answer).toEqual({
    session_id: attempt.session_id,
    action: 'send',
    execution_process_id: expect.any(String),
    queue_status: 'empty',
    queue_length: 0,
    queued_message: null,
  });
  expect(answer.execution_process_id).not.toBe(attempt.execution_process_id);
  expect(await untilEnded(client, attempt.attempt_id)).toMatchObject({
    state: 'completed',
    latest_execution_process_id: answer.execution_process_id,
    final_message: 'more',
  });
  expect(await transcript(attempt.attempt_id)).toMatchObject([
    { turn_id: attempt.execution_process_id },
    { turn_id: answer.execution_process_id, prompt: 'echo more', summary: 'more' },
  ]);
}

async function expectQueued(answer: Json, attempt: Json & { open: () => void }): Promise<void> {
  const queued_message = {
    session_id: attempt.session_id,
    message: 'echo later',
    variant: null,
    queued_at: expect.stringMatching(/Z$/),
  };
  expect(answer).toEqual({
    session_id: attempt.session_id,
    action: 'queue',
    execution_process_id: null,
    queue_status: 'queued',
    queue_length: 1,
    queued_message,
  });
  expect(await client.call('get_attempt_status', { attempt_id: attempt.attempt_id })).toMatchObject({
    state: 'running',
    has_queued_message: true,
    latest_execution_process_id: attempt.execution_process_id,
  });
  attempt.open();
  expect(await untilEnded(client, attempt.attempt_id)).toMatchObject({
    state: 'completed',
    final_message: 'later',
    has_queued_message: false,
  });
  expect(await transcript(attempt.attempt_id)).toMatchObject([{}, { prompt: 'echo later' }]);
}

describe('Attempt terminology and identifiers', () => {
  it('Attempt id is usable for follow-up', async () => {
    const { task_id } = await givenEndedAttempt(client, project.project_id);
    const [{ attempt_id }] = (await client.call('list_task_attempts', { task_id })).attempts;
    expect(await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo followed' })).toMatchObject({
      action: 'send',
      execution_process_id: expect.any(String),
    });
    expect(await untilEnded(client, attempt_id)).toMatchObject({ final_message: 'followed' });
  });
});

describe('follow_up targeting', () => {
  it('Follow-up by attempt id', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const { body: newest } = await server.rest.post(`/api/attempts/${attempt_id}/sessions`, {
      executor: 'SHELL',
      prompt: 'true',
    });
    await untilEnded(client, attempt_id);
    expect(await client.call('follow_up', { attempt_id, action: 'send', prompt: 'true' })).toMatchObject({
      session_id: newest.session_id,
      execution_process_id: expect.any(String),
    });
    await untilEnded(client, attempt_id);
  });
});

describe('MCP follow-up tool', () => {
  it('Send follow-up by attempt id', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id);
    await expectSent(
      await client.call('follow_up', { attempt_id: attempt.attempt_id, action: 'send', prompt: 'echo more' }),
      attempt,
    );
  });

  it('Send follow-up by session id', async () => {
    const attempt = await givenEndedAttempt(client, project.project_id);
    await expectSent(
      await client.call('follow_up', { session_id: attempt.session_id, action: 'send', prompt: 'echo more' }),
      attempt,
    );
  });

  it('Queue follow-up by attempt id', async () => {
    const attempt = await givenRunningAttempt();
    await expectQueued(
      await client.call('follow_up', { attempt_id: attempt.attempt_id, action: 'queue', prompt: 'echo later' }),
      attempt,
    );
  });

  it('Queue follow-up by session id', async () => {
    const attempt = await givenRunningAttempt();
    await expectQueued(
      await client.call('follow_up', { session_id: attempt.session_id, action: 'queue', prompt: 'echo later' }),
      attempt,
    );
  });

  it('Cancel queued follow-up', async () => {
    const attempt = await givenRunningAttempt();
    const cancelled = {
      session_id: attempt.session_id,
      action: 'cancel',
      execution_process_id: null,
      queue_status: 'empty',
      queue_length: 0,
      queued_message: null,
    };
    for (const target of [{ session_id: attempt.session_id }, { attempt_id: attempt.attempt_id }]) {
      expect(await client.call('follow_up', { ...target, action: 'queue', prompt: 'echo unwanted' })).toMatchObject({
        queue_status: 'queued',
      });
      expect(await client.call('follow_up', { ...target, action: 'cancel' })).toEqual(cancelled);
      expect(await client.call('follow_up', { ...target, action: 'cancel' })).toEqual(cancelled);
      expect(await client.call('get_attempt_status', { attempt_id: attempt.attempt_id })).toMatchObject({
        has_queued_message: false,
      });
    }
    attempt.open();
    expect(await untilEnded(client, attempt.attempt_id)).toMatchObject({
      state: 'completed',
      latest_execution_process_id: attempt.execution_process_id,
    });
    expect(await transcript(attempt.attempt_id)).toHaveLength(1);
  });

  it('Attempt has no sessions', async () => {
    const { attempt_id } = await givenAttemptWithoutSession(server, client, project.project_id);
    for (const call of [{ action: 'send', prompt: 'x' }, { action: 'queue', prompt: 'x' }, { action: 'cancel' }]) {
      expect(await client.refused('follow_up', { attempt_id, ...call })).toMatchObject({
        code: 'no_session_yet',
        details: { next: { arguments: { attempt_id } } },
      });
    }
  });

  it('has a turn after a message that already waits', async () => {
    const attempt = await givenRunningAttempt();
    for (const word of ['first', 'second'])
      await client.call('follow_up', { attempt_id: attempt.attempt_id, action: 'queue', prompt: `echo ${word}` });
    attempt.open();
    expect(await untilEnded(client, attempt.attempt_id)).toMatchObject({ final_message: 'second' });
    expect(await transcript(attempt.attempt_id)).toHaveLength(3);
  });

  it.each([
    ['send', 'prompt is required when action=send'],
    ['queue', 'prompt is required when action=queue'],
  ])('requires a prompt for %s', async (action, message) => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    for (const prompt of [undefined, null, '', '  \n']) {
      expect(await client.refused('follow_up', { attempt_id, action, prompt })).toMatchObject({
        code: 'invalid_argument',
        retryable: false,
        message: expect.stringContaining(message),
        details: { fields: [{ field: 'prompt' }] },
      });
    }
  });

  it.each(['prompt', 'variant', 'request_id'])('refuses %s with cancel', async (field) => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    expect(await client.refused('follow_up', { attempt_id, action: 'cancel', [field]: 'x' })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`${field} is not allowed when action=cancel`),
      details: { fields: [{ field }] },
    });
  });
});
