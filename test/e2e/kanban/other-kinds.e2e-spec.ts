import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json, McpClient } from '../../support/mcp-client.js';

describe('an id of another kind', () => {
  const board = Board.use();
  let project_id: string;
  let ended: Json;
  let member: McpClient;
  let stranger: McpClient;
  beforeAll(async () => {
    for (const user of ['ada', 'mallory']) await board.worker(`@${user}`, 'human', user);
    ({ project_id } = await board.project({ name: 'Crown jewels' }));
    ended = await board.endedAttempt(project_id, 'echo done');
    await board.member(project_id, '@ada', 'owner');
    member = await board.mcpAs('ada', '/mcp');
    stranger = await board.mcpAs('mallory', '/mcp');
  });

  const kinds = (): [kind: string, reference: string][] => [
    ['session', ended.latest_session_id as string],
    ['execution', ended.latest_execution_process_id as string],
    ['task', ended.task_id as string],
    ['branch', ended.workspace_branch as string],
  ];

  it('is named to who may see the record, with the call that was meant', async () => {
    const { attempt_id } = ended;
    const next = { tool: 'get_attempt_status', arguments: { attempt_id } };
    for (const [is, reference] of kinds())
      expect(await member.refused('get_attempt_status', { attempt_id: reference })).toMatchObject({
        retryable: false,
        details: { is, next },
      });
  });

  it('is nothing to anybody else, as is a name', async () => {
    for (const [, reference] of kinds()) {
      const { hint, details } = await stranger.refused('get_attempt_status', { attempt_id: reference });
      expect(hint).toMatch(/^Call list_task_attempts/);
      expect(JSON.stringify(details)).not.toContain(ended.attempt_id);
      expect(details).not.toHaveProperty('is');
    }
    expect(await stranger.refused('list_tasks', { project_id: 'Crown jewels' })).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('must be a UUID'),
    });
    expect(await member.call('list_tasks', { project_id: 'crown jewels' })).toMatchObject({ project_id });
  });

  it('leads to a choice where it has several of the wanted kind', async () => {
    const { task_id } = ended;
    const again = { task_id, executor: 'SHELL', prompt: 'echo again' };
    const { attempt_id } = await member.call('start_task_attempt', again);
    await board.untilEnded(attempt_id as string);
    expect(await member.refused('get_attempt_status', { attempt_id: task_id })).toMatchObject({
      details: { is: 'task', next: { tool: 'list_task_attempts', arguments: { task_id } } },
    });
  });
});
