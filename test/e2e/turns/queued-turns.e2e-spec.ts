import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate, givenProject, type Project, untilEnded, untilLine } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { runsOf } from '../../support/runs.js';

interface Turn {
  job_id: string;
  run_reason: string;
  prompt: string;
  timeout_secs: number | null;
  failure_summary: string | null;
}

describe('the turn of a message that waited', () => {
  const board = Board.use();
  let project: Project;
  let ada: McpClient;

  beforeAll(async () => {
    project = await givenProject(board.server, { setup_script: 'true', cleanup_script: 'true' });
    await board.worker('@ada');
    ada = await board.mcpAs('@ada', '/mcp');
  });

  /** An attempt of DEMO or SHELL that goes on when its gate opens. */
  async function given(more: Json = {}): Promise<{ attempt_id: string; task_id: string; open: () => void }> {
    const { wait, open } = gate(board.server);
    const task_id = await board.task(project.project_id);
    const shell = `echo ready; ${wait}`;
    const { attempt_id } = await board.kanban.call('start_task_attempt', {
      task_id,
      executor: 'SHELL',
      prompt: more.executor === 'DEMO' ? `run ${shell.replace(/; /g, ' && ')}` : shell,
      ...more,
    });
    return { attempt_id: attempt_id as string, task_id, open };
  }
  const turnsOf = (attempt_id: string): Promise<Turn[]> =>
    board.server.query<Turn>(
      `SELECT job_id, run_reason, prompt, timeout_secs, failure_summary
       FROM executions WHERE attempt_id = $1 ORDER BY number`,
      [attempt_id],
    );

  it('has a job of its own, which its scripts share', async () => {
    const { attempt_id, open } = await given();
    await untilLine(board.kanban, attempt_id, 'ready');
    await ada.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo next' });
    open();
    expect(await untilEnded(board.kanban, attempt_id)).toMatchObject({ state: 'completed', final_message: 'next' });
    const turns = await turnsOf(attempt_id);
    expect(turns.map(({ run_reason }) => run_reason)).toEqual([
      'setupscript',
      'codingagent',
      'cleanupscript',
      'codingagent',
      'cleanupscript',
    ]);
    const [first, second] = [turns[0]!.job_id, turns[3]!.job_id];
    expect(second).not.toBe(first);
    expect(turns.map(({ job_id }) => job_id)).toEqual([first, first, first, second, second]);
  });

  it('is of whoever queued it, with the time limit of the turn it waited for', async () => {
    const { attempt_id, task_id, open } = await given({ timeout_secs: 14_000 });
    await untilLine(board.kanban, attempt_id, 'ready');
    await ada.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo next' });
    open();
    await untilEnded(board.kanban, attempt_id);
    expect((await turnsOf(attempt_id)).map(({ timeout_secs }) => timeout_secs)).toEqual(Array(5).fill(14_000));
    const started = (await board.audit(task_id)).filter(({ action }) => action === 'run_started');
    expect(started.map(({ actor }) => actor)).toEqual(['@kanban', '@taskyard', '@taskyard', '@ada', '@taskyard']);
    expect(started[3]?.actor_id).toEqual(expect.any(String));
  });

  it('fails at once where its variant has left the configuration; no default takes its place', async () => {
    const { attempt_id, open } = await given({ executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo asked' });
    const { approval_id } = await pendingApproval(attempt_id);
    await ada.call('follow_up', { attempt_id, action: 'queue', prompt: 'run echo unrestricted > leak.txt' });
    await board.server.query("UPDATE queued_messages SET variant = 'GONE' WHERE attempt_id = $1", [attempt_id]);
    await board.rest.does('POST', `/api/approvals/${approval_id}/answer`, { decision: 'approve' });
    open();
    expect(await untilEnded(board.kanban, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'Executor DEMO has no variant GONE.',
      has_queued_message: false,
    });
    expect((await runsOf(board.server, attempt_id)).at(-1)).toBe('codingagent failed');
    expect((await ada.call('get_attempt_changes', { attempt_id })).files).toEqual([]);
    const { page } = await ada.call('tail_session_messages', { attempt_id });
    expect(page.entries.at(-1)).toMatchObject({ prompt: 'run echo unrestricted > leak.txt', status: 'failed' });
  });

  it('fails at once where whoever queued it has left the project', async () => {
    const { attempt_id, open } = await given();
    await untilLine(board.kanban, attempt_id, 'ready');
    await ada.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo next' });
    await board.worker('@grace');
    await board.member(project.project_id, '@grace', 'owner'); // from now on only members
    open();
    expect(await untilEnded(board.kanban, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'Not a member of this project',
    });
    await board.server.query('DELETE FROM project_members WHERE project_id = $1', [project.project_id]);
  });

  async function pendingApproval(attempt_id: string): Promise<Json> {
    for (;;) {
      const { approvals } = await board.rest.does('GET', `/api/approvals?attempt_id=${attempt_id}`);
      if (approvals.length > 0) return approvals[0] as Json;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});
