import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenProject, type Project, untilEnded } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { Json, McpClient } from '../../support/mcp-client.js';

const board = Board.use();
let project: Project;
let agent: McpClient;
beforeAll(async () => {
  project = await givenProject(board.server);
  await board.worker('@claude');
  agent = await board.mcpAs('@claude', '/mcp');
});

async function started(script: string): Promise<{ task_id: string; attempt_id: string; execution_process_id: string }> {
  const task_id = await board.task(project.project_id);
  const attempt = await agent.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: script });
  return {
    task_id,
    attempt_id: attempt.attempt_id as string,
    execution_process_id: attempt.execution_process_id as string,
  };
}

const facts = async (task_id: string): Promise<Json[]> =>
  (await board.audit(task_id)).slice(1).map(({ entity_type, action, actor, actor_type, details }) => ({
    entity_type,
    action,
    actor,
    actor_type,
    details,
  }));
const moved = (taskflow_status: string, actor: string, actor_type: string) => ({
  entity_type: 'task',
  action: 'status_changed',
  actor,
  actor_type,
  details: expect.objectContaining({ after: expect.objectContaining({ taskflow_status }) }),
});

describe('a run in the audit of its task', () => {
  it('is started by the worker and ended by its executor, as an agent', async () => {
    const { task_id, attempt_id } = await started('echo hello');
    await untilEnded(board.kanban, attempt_id);
    expect(await facts(task_id)).toEqual([
      {
        entity_type: 'execution',
        action: 'run_started',
        actor: '@claude',
        actor_type: 'agent',
        details: { attempt_id, executor: 'SHELL', run_reason: 'codingagent' },
      },
      moved('in_progress', '@claude', 'agent'),
      {
        entity_type: 'execution',
        action: 'run_ended',
        actor: '@shell',
        actor_type: 'agent',
        details: { attempt_id, status: 'completed', run_reason: 'codingagent' },
      },
      moved('review', '@taskyard', 'system'),
    ]);
  });

  it('begins and ends once for every step of its turn', async () => {
    const { project_id } = await givenProject(board.server, {
      setup_script: 'echo set up',
      cleanup_script: 'echo cleaned',
    });
    const task_id = await board.task(project_id);
    const { attempt_id } = await agent.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'true' });
    await untilEnded(board.kanban, attempt_id as string);
    const runs = (await facts(task_id)).filter(({ entity_type }) => entity_type === 'execution');
    expect(runs.map(({ action, actor, details }) => [action, actor, details.run_reason])).toEqual([
      ['run_started', '@claude', 'setupscript'],
      ['run_ended', '@shell', 'setupscript'],
      ['run_started', '@taskyard', 'codingagent'],
      ['run_ended', '@shell', 'codingagent'],
      ['run_started', '@taskyard', 'cleanupscript'],
      ['run_ended', '@shell', 'cleanupscript'],
    ]);
  });

  it('is not needed to open an attempt, which is a fact of its task', async () => {
    const task_id = await board.task(project.project_id);
    const { attempt_id } = await board.as('@claude').does('POST', `/api/tasks/${task_id}/attempts`, {});
    expect(await facts(task_id)).toEqual([
      { entity_type: 'task', action: 'attempt_opened', actor: '@claude', actor_type: 'agent', details: { attempt_id } },
    ]);
  });

  it('tells how it failed', async () => {
    const { task_id, attempt_id } = await started('exit 3');
    const { failure_summary } = await untilEnded(board.kanban, attempt_id);
    expect((await facts(task_id))[2]).toMatchObject({
      action: 'run_ended',
      actor: '@shell',
      details: { status: 'failed', failure_summary },
    });
  });

  it('tells who asked to stop it', async () => {
    const { wait } = gate(board.server);
    const { task_id, attempt_id, execution_process_id } = await started(wait);
    await board.as('ada').does('POST', `/api/attempts/${attempt_id}/stop`, { force: true });
    expect(await facts(task_id)).toMatchObject([
      { action: 'run_started', actor: '@claude' },
      { action: 'status_changed' },
      {
        entity_type: 'execution',
        action: 'run_stop_requested',
        actor: '@ada',
        actor_type: 'human',
        details: { attempt_id, force: true },
      },
      { action: 'run_ended', actor: '@shell', actor_type: 'agent', details: { status: 'killed' } },
      { action: 'status_changed', actor: '@taskyard' },
    ]);
    const { entries } = await board.rest.does('GET', `/api/projects/${project.project_id}/audit?limit=500`);
    expect(
      (entries as Json[])
        .filter(({ entity_id }) => entity_id === execution_process_id)
        .map(({ action }) => action as string),
    ).toEqual(['run_ended', 'run_stop_requested', 'run_started']);
  });

  it('names the dialect where nobody in particular started it', async () => {
    const task_id = await board.task(project.project_id);
    const { attempt_id } = await board.kanban.call('start_task_attempt', {
      task_id,
      executor: 'SHELL',
      prompt: 'true',
    });
    await untilEnded(board.kanban, attempt_id as string);
    expect((await facts(task_id))[0]).toMatchObject({ action: 'run_started', actor: '@kanban', actor_type: 'system' });
  });

  it('writes nothing when there is nothing to stop', async () => {
    const { task_id, attempt_id } = await started('true');
    await untilEnded(board.kanban, attempt_id);
    const before = await facts(task_id);
    expect(await agent.call('stop_attempt', { attempt_id })).toMatchObject({ stopped: false });
    expect(await facts(task_id)).toEqual(before);
  });
});
