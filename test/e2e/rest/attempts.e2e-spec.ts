import { rmSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { Board, nowhere } from '../../support/board-fixture.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});
const start = (task_id: string, body: Json = { executor: 'SHELL' }) =>
  board.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, body);

describe('attempts over REST', () => {
  it('are started, waited for and listed newest first', async () => {
    const task_id = await board.task(project_id, 'Say hello', 'echo hello');
    const first = await start(task_id);
    expect(first).toEqual({
      task_id,
      attempt_id: expect.any(String),
      workspace_branch: expect.stringMatching(/^ty\/[0-9a-f]{8}-say-hello$/),
      session_id: expect.any(String),
      execution_process_id: expect.any(String),
    });
    expect(await board.untilEnded(first.attempt_id as string)).toMatchObject({
      task_id,
      state: 'completed',
      latest_session_id: first.session_id,
      latest_session_executor: 'SHELL',
      latest_execution_process_id: first.execution_process_id,
      run_reason: 'codingagent',
      final_message: 'hello',
      failure_summary: null,
      is_stopping: false,
      has_queued_message: false,
    });
    const second = await start(task_id, { executor: 'SHELL', prompt: 'exit 3' });
    expect(await board.untilEnded(second.attempt_id as string)).toMatchObject({
      state: 'failed',
      failure_summary: expect.stringContaining('3'),
    });
    const list = await board.rest.answers(200, 'GET', `/api/tasks/${task_id}/attempts`);
    expect(list.attempts.map((attempt: Json) => [attempt.attempt_id, attempt.state])).toEqual([
      [second.attempt_id, 'failed'],
      [first.attempt_id, 'completed'],
    ]);
    expect(list).toMatchObject({
      count: 2,
      has_more: false,
      latest_attempt_id: second.attempt_id,
      latest_session_id: second.session_id,
    });
    const page = await board.rest.answers(200, 'GET', `/api/tasks/${task_id}/attempts?limit=1`);
    expect(page).toMatchObject({ count: 1, has_more: true });
    expect(
      (await board.rest.answers(200, 'GET', `/api/tasks/${task_id}/attempts?limit=1&cursor=${page.next_cursor}`))
        .attempts[0].attempt_id,
    ).toBe(first.attempt_id);
    expect(await board.rest.answers(200, 'GET', `/api/tasks/${task_id}`)).toMatchObject({
      status: 'inreview',
      last_attempt_failed: true,
      latest_attempt_id: second.attempt_id,
    });
  });

  it('answer before the wait is over when the state is not the one to wait out', async () => {
    // two full waits are beyond the time of a test
    const { attempt_id } = await board.endedAttempt(project_id);
    await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}?wait_ms=30000`);
    await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}?wait_ms=30000&while_state=running`);
  });

  it('without an executor prepare worktrees and run nothing, until a session is opened', async () => {
    const task_id = await board.task(project_id);
    const { attempt_id, session_id, execution_process_id } = await start(task_id, {});
    expect([session_id, execution_process_id]).toEqual([null, null]);
    expect(await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/changes`)).toMatchObject({
      files: [],
      summary: { file_count: 0 },
    });
    expect(await board.rest.answers(200, 'GET', `/api/attempts/${attempt_id}`)).toMatchObject({
      state: 'idle',
      run_reason: null,
      latest_session_id: null,
    });
    expect(await board.rest.refuses('no_session_yet', 'GET', `/api/attempts/${attempt_id}/messages`)).toMatchObject({
      status: 409,
      retryable: true,
    });
    await board.rest.refuses('no_session_yet', 'POST', `/api/attempts/${attempt_id}/follow-up`, {
      action: 'send',
      prompt: 'true',
    });
    const opened = await board.rest.answers(201, 'POST', `/api/attempts/${attempt_id}/sessions`, {
      executor: 'SHELL',
      prompt: 'echo opened',
    });
    expect(opened).toEqual({ attempt_id, session_id: expect.any(String), execution_process_id: expect.any(String) });
    expect(await board.untilEnded(attempt_id as string)).toMatchObject({
      state: 'completed',
      final_message: 'opened',
      latest_session_id: opened.session_id,
    });
    expect(await board.rest.answers(200, 'GET', `/api/sessions/${opened.session_id}`)).toMatchObject({
      session_id: opened.session_id,
      attempt_id,
      executor: 'SHELL',
      variant: null,
    });
  });

  it('work in chosen repositories, from a chosen branch', async () => {
    const { project_id: own, repo_id, repository } = await board.project();
    repository.git('switch', '--quiet', '--create', 'dev');
    repository.write({ 'dev.txt': 'dev\n' });
    repository.commit('dev');
    const task_id = await board.task(own, 'Say hello', 'ls');
    const { attempt_id } = await start(task_id, { executor: 'shell', repos: [{ repo_id, target_branch: 'dev' }] });
    expect((await board.untilEnded(attempt_id as string)).final_message).toContain('dev.txt');
  });

  it.each([
    ['executor_unknown', { executor: 'NOBODY' }, 'SHELL'],
    ['variant_unknown', { executor: 'SHELL', variant: 'PLAN' }, 'GET /api/executors'],
    ['branch_unknown', { executor: 'SHELL', repos: [{ repo_id: 'REPO', target_branch: 'nope' }] }, 'main'],
    ['repo_not_in_project', { executor: 'SHELL', repos: [{ repo_id: nowhere }] }, 'GET /api/projects/'],
    ['invalid_argument', { executor: 'SHELL', repos: [] }, 'details.fields'],
    ['invalid_argument', { executor: 'SHELL', repos: [{ repo_id: 'REPO' }, { repo_id: 'REPO' }] }, 'details.fields'],
    ['invalid_argument', { executor: 'SHELL', repos: [{ repo_id: 'web' }] }, 'GET /api/projects/'],
    ['invalid_argument', { executor: ' ' }, 'details.fields'],
    ['invalid_argument', { executor: 'SHELL', prompt: ' x ', force: true }, 'details.fields'],
  ])('are refused with %s for %j', async (code, body, hint) => {
    const { project_id: own, repo_id } = await board.project();
    const task_id = await board.task(own);
    const filled = JSON.parse(JSON.stringify(body).replaceAll('REPO', repo_id)) as Json;
    const refusal = await board.rest.refuses(code, 'POST', `/api/tasks/${task_id}/attempts`, filled);
    expect(refusal.status).toBe(400);
    expect(refusal.hint).toContain(hint);
    expect((await board.rest.answers(200, 'GET', `/api/tasks/${task_id}/attempts`)).count).toBe(0);
  });

  it('are refused for what is not there', async () => {
    await board.rest.refuses('task_not_found', 'POST', `/api/tasks/${nowhere}/attempts`, { executor: 'SHELL' });
    await board.rest.refuses('task_not_found', 'GET', `/api/tasks/${nowhere}/attempts`);
    for (const part of ['', '/logs', '/messages', '/changes', '/file?path=web/a', '/events'])
      await board.rest.refuses('attempt_not_found', 'GET', `/api/attempts/${nowhere}${part}`);
    await board.rest.refuses('attempt_not_found', 'POST', `/api/attempts/${nowhere}/patch`, { paths: ['web/a'] });
    await board.rest.refuses('attempt_not_found', 'POST', `/api/attempts/${nowhere}/stop`);
    await board.rest.refuses('attempt_not_found', 'POST', `/api/attempts/${nowhere}/sessions`, { executor: 'SHELL' });
    await board.rest.refuses('attempt_not_found', 'POST', `/api/attempts/${nowhere}/follow-up`, { action: 'cancel' });
    for (const part of ['', '/messages', '/queue'])
      await board.rest.refuses('session_not_found', 'GET', `/api/sessions/${nowhere}${part}`);
    await board.rest.refuses('session_not_found', 'DELETE', `/api/sessions/${nowhere}/queue`);
    await board.rest.refuses('session_not_found', 'POST', `/api/sessions/${nowhere}/follow-up`, { action: 'cancel' });
    await board.rest.refuses('execution_not_found', 'GET', `/api/executions/${nowhere}/logs/stream`);
    expect((await board.rest.refuses('invalid_argument', 'GET', '/api/attempts/latest')).hint).toContain(
      'GET /api/tasks/{task_id}/attempts',
    );
  });

  it('tell when their worktree is gone', async () => {
    const { attempt_id, workspace_branch } = await board.endedAttempt(project_id, 'echo a > a.txt');
    rmSync(path.join(board.server.environment.DATA_DIR, 'worktrees', attempt_id as string), { recursive: true });
    const refusal = await board.rest.refuses('workspace_lost', 'GET', `/api/attempts/${attempt_id}/changes`);
    expect(refusal).toMatchObject({ status: 409, retryable: false });
    expect(refusal.hint).toContain(workspace_branch);
    await board.rest.refuses('workspace_lost', 'GET', `/api/attempts/${attempt_id}/file?path=web/a.txt`);
    await board.rest.refuses('workspace_lost', 'POST', `/api/attempts/${attempt_id}/patch`, { paths: ['web/a.txt'] });
  });
});

describe('executors over REST', () => {
  it('are listed with what can start here', async () => {
    const { executors } = await board.rest.answers(200, 'GET', '/api/executors');
    expect(executors).toContainEqual({
      executor: 'SHELL',
      variants: [],
      default_variant: null,
      supports_mcp: false,
      takes: 'script',
      note: expect.stringMatching(/^The prompt is a script, run in the repository.*set -e/),
      is_available: true,
      reason: null,
      version: null,
    });
    expect(executors).toContainEqual(
      expect.objectContaining({ executor: 'DEMO', default_variant: 'DEFAULT', is_available: true, reason: null }),
    );
    for (const { default_variant, variants } of executors as Json[])
      expect([null, ...(variants as string[])]).toContain(default_variant);
    await board.rest.refuses('invalid_argument', 'GET', '/api/executors?page=1');
  });

  it('refuse to start where they are switched off', async () => {
    const off = await Board.start({ SHELL_EXECUTOR: 'off' });
    try {
      expect((await off.rest.answers(200, 'GET', '/api/executors')).executors).toContainEqual(
        expect.objectContaining({
          executor: 'SHELL',
          is_available: false,
          reason: expect.stringContaining('SHELL_EXECUTOR'),
        }),
      );
      const task_id = await off.task((await off.project()).project_id);
      expect(
        await off.rest.refuses('executor_unavailable', 'POST', `/api/tasks/${task_id}/attempts`, { executor: 'SHELL' }),
      ).toMatchObject({ status: 503, retryable: false });
    } finally {
      await off.stop();
    }
  });
});
