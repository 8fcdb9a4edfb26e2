import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  givenAttemptWithoutSession,
  givenEndedAttempt,
  givenProject,
  givenTask,
  type Project,
} from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const server = TestServer.share();
let client: McpClient;
let project: Project;
beforeAll(async () => {
  client = await server.mcp();
  project = await givenProject(server);
});

describe('Mutual exclusion for ambiguous targeting', () => {
  it('Reject dual targeting', async () => {
    const { attempt_id, session_id } = await givenEndedAttempt(client, project.project_id);
    expect(await client.refused('follow_up', { attempt_id, session_id, action: 'send', prompt: 'x' })).toMatchObject({
      code: 'ambiguous_target',
      retryable: false,
      hint: expect.stringContaining('exactly one of attempt_id, session_id'),
      details: { given: ['attempt_id', 'session_id'] },
    });
    expect(await client.refused('follow_up', { action: 'send', prompt: 'x' })).toMatchObject({
      code: 'missing_target',
      retryable: false,
      hint: expect.stringMatching(/exactly one of attempt_id, session_id.*list_task_attempts/),
    });
    const { page } = await client.call('tail_session_messages', { attempt_id });
    expect(page.entries).toHaveLength(1);
  });
});

describe('Actionable MCP error envelope', () => {
  it('Missing session yields actionable hint', async () => {
    const { attempt_id } = await givenAttemptWithoutSession(server, client, project.project_id);
    const refused = await client.refused('follow_up', { attempt_id, action: 'send', prompt: 'x' });
    expect(refused).toMatchObject({
      code: 'no_session_yet',
      retryable: true,
      details: { next: { tool: 'get_attempt_status', arguments: { attempt_id } } },
    });
    expect(refused.hint).toMatch(/get_attempt_status .*until latest_session_id is non-null, then retry/);
  });

  it('is whole, in structuredContent and as text, for every refusal', async () => {
    const { attempt_id } = await givenEndedAttempt(client, project.project_id);
    const unknown = '0198c0de-0000-7000-8000-00000000dead';
    const calls: [string, object][] = [
      ['get_task', { task_id: unknown }],
      ['get_task', { task_id: 'x' }],
      ['list_tasks', {}],
      ['get_attempt_status', { attempt_id: unknown }],
      ['follow_up', { session_id: unknown, action: 'cancel' }],
      ['start_task_attempt', { task_id: await givenTask(client, project.project_id), executor: 'NONE' }],
      ['tail_attempt_logs', { attempt_id, limit: 0 }],
      ['list_repos', { project_id: unknown }],
    ];
    for (const [name, args] of calls) {
      const { structuredContent, content } = (await client.sdk.callTool({ name, arguments: args as Json })) as Json;
      expect([name, structuredContent]).toEqual([
        name,
        {
          code: expect.stringMatching(/^[a-z_]+$/),
          message: expect.stringMatching(/\S/),
          retryable: false,
          hint: expect.stringMatching(/\S/),
          details: expect.any(Object),
        },
      ]);
      expect(JSON.parse(content[0].text)).toEqual(structuredContent);
    }
  });
});
