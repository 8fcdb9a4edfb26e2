import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';
import { countsOf, exported, type Lines, sent, toText } from '../../support/transfer.js';

const SECRET = 'a-secret-that-nobody-exports-4711';
const board = Board.use();
const elsewhere = TestServer.use();

const kinds = (lines: Lines, kind: string): Json[] => lines.filter((line) => line.kind === kind);
/** What a record says, without its names here and there. */
const said = (lines: Lines, kind: string, ...fields: string[]): unknown[] =>
  kinds(lines, kind).map((line) => fields.map((field) => line[field] as unknown));

const TEXTS: [string, string[]][] = [
  ['project', ['name', 'description', 'required_secrets', 'checks', 'check_on', 'fix_rounds', 'review', 'retries']],
  ['repository', ['name', 'path', 'default_target_branch', 'setup_script', 'checks']],
  [
    'task',
    ['title', 'description', 'stage', 'tags', 'priority', 'created_at', 'updated_at', 'archived_at', 'assignee'],
  ],
  ['thought', ['type', 'content', 'agent_id', 'recorded_by', 'created_at']],
  ['attempt', ['branch', 'created_at']],
  ['session', ['executor', 'variant', 'created_at']],
  ['turn', ['run_reason', 'status', 'prompt', 'final_message', 'created_at', 'started_at', 'completed_at']],
  ['comment', ['author', 'path', 'side', 'line', 'end_line', 'lines', 'text', 'created_at']],
];

describe('an export', () => {
  let project_id: string;
  let attempt_id: string;
  let lines: Lines;

  beforeAll(async () => {
    const project = await board.project({ name: 'Sëveral wörds 🙂', setup_script: 'echo ready' });
    ({ project_id } = project);
    await board.rest.does('PUT', `/api/projects/${project_id}/repos/${project.repo_id}/checks`, {
      checks: [{ name: 'tests', command: 'npm test', paths: ['src/**'], required: false }],
    });
    await board.rest.does('PUT', `/api/projects/${project_id}/secrets/NPM_TOKEN`, { value: SECRET });
    await board.rest.does('PUT', `/api/projects/${project_id}`, {
      ...{ description: 'A "project"\nof two lines', checks: 'warn', check_on: 'request', fix_rounds: 3 },
      ...{ review: { executor: 'CODEX', rounds: 2 }, retries: { quota: true } },
    });
    ({ attempt_id } = (await board.endedAttempt(project_id, 'echo done > done.txt; echo finished')) as {
      attempt_id: string;
    });
    const comment = { path: 'web/done.txt', side: 'new', line: 1, text: 'Why so?' };
    await board.rest.does('POST', `/api/attempts/${attempt_id}/comments`, comment);
    const { task_id } = await board.rest.does('POST', `/api/projects/${project_id}/tasks`, {
      title: 'Older',
      priority: 'high',
      tags: ['a', 'b c'],
    });
    for (const content of ['first', 'second'])
      await board.rest.does('POST', `/api/tasks/${task_id}/thought-records`, {
        type: 'plan',
        agent_id: 'planner',
        content,
      });
    const { task_id: above } = await board.rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Younger' });
    await board.rest.does('PUT', `/api/tasks/${task_id}`, { parent_task_id: above });
    await board.rest.does('POST', `/api/tasks/${task_id}/subtasks`, { title: 'Below the older' });
    const { task_id: archived } = await board.rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Past' });
    await board.rest.does('PUT', `/api/tasks/${archived}`, { status: 'done' });
    await board.rest.does('POST', `/api/tasks/${archived}/archive`, {});
    lines = await exported(board.server.url, project_id);
  });

  it('has a header, everything in an order in which it can be read, and an end that counts', () => {
    expect(lines[0]).toMatchObject({ kind: 'header', format: 'taskyard-export', version: 1 });
    expect(lines.at(-1)).toEqual({ kind: 'end', records: lines.length - 2 });
    expect(countsOf(lines)).toMatchObject({ project: 1, repository: 1, task: 5, thought: 2, attempt: 1, session: 1 });
    expect(countsOf(lines)).toMatchObject({ turn: 2, comment: 1 });
    const seen = new Set<string>();
    for (const { kind, external_id, parent, task, attempt, session } of lines) {
      for (const reference of [parent, task, attempt, session])
        if (reference) expect(seen).toContain(reference.external_id);
      seen.add(external_id as string);
      expect(kind).toEqual(expect.any(String));
    }
  });

  it('holds no secret, and no line of a log', () => {
    const text = toText(lines);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('"ready"');
  });

  it('comes in elsewhere with the same texts, once', async () => {
    const checked = await sent(elsewhere.url, '/api/imports?dry_run=true', toText(lines));
    expect(checked).toMatchObject({ status: 200, body: { dry_run: true, created: { task: 5, turn: 2 } } });
    expect((await elsewhere.rest.does('GET', '/api/projects')).projects).toEqual([]);

    const taken = await sent(elsewhere.url, '/api/imports', toText(lines));
    const created = { ...countsOf(lines) };
    delete created.header;
    delete created.end;
    expect(taken).toMatchObject({ status: 200, body: { dry_run: false, created, existing: { task: 0 } } });
    const [{ project_id: there }] = taken.body.projects as [{ project_id: string }];
    const again = await exported(elsewhere.url, there);
    for (const [kind, fields] of TEXTS)
      expect([kind, said(again, kind, ...fields)]).toEqual([kind, said(lines, kind, ...fields)]);

    const twice = await sent(elsewhere.url, '/api/imports', toText(again));
    expect(twice.body).toMatchObject({ created: { project: 0, task: 0, turn: 0 }, existing: created });
    expect(countsOf(await exported(elsewhere.url, there))).toEqual(countsOf(lines));
  });

  it('changes nothing where it was made', async () => {
    const taken = await sent(board.server.url, '/api/imports', toText(lines));
    expect(taken).toMatchObject({ status: 200, body: { created: { project: 0, task: 0, thought: 0, comment: 0 } } });
    expect(await exported(board.server.url, project_id)).toHaveLength(lines.length);
  });

  it('is history there: it can be read, and says what to do instead of going on', async () => {
    const { projects } = await elsewhere.rest.does('GET', '/api/projects');
    const { tasks } = await elsewhere.rest.does('GET', `/api/projects/${projects[0].project_id}/tasks`);
    const task = (tasks as Json[]).find(({ latest_attempt_id }) => latest_attempt_id !== null)!;
    const there = task.latest_attempt_id as string;
    expect(task).toMatchObject({ delivery_state: 'none', latest_session_executor: 'SHELL' });
    const kanban = await elsewhere.mcp();
    expect(await kanban.call('get_attempt_status', { attempt_id: there })).toMatchObject({
      state: 'completed',
      final_message: expect.stringContaining('finished'),
    });
    expect((await kanban.call('tail_attempt_logs', { attempt_id: there })).page.entries).toEqual([]);
    const { page } = await kanban.call('tail_session_messages', { attempt_id: there });
    expect(page.entries).toMatchObject([{ summary: expect.stringContaining('finished'), status: 'completed' }]);
    const { comments } = await elsewhere.rest.does('GET', `/api/attempts/${there}/comments`);
    expect(comments).toMatchObject([{ text: 'Why so?' }]);
    for (const [method, path, body] of [
      ['POST', 'follow-up', { action: 'send', prompt: 'Go on' }],
      ['POST', 'retry', {}],
      ['POST', 'sessions', { executor: 'SHELL', prompt: 'true' }],
      ['POST', 'merge', {}],
      ['GET', 'changes', undefined],
    ] as const)
      expect(await elsewhere.rest.refused(method, `/api/attempts/${there}/${path}`, body)).toMatchObject({
        code: 'workspace_lost',
        retryable: false,
        hint: expect.stringContaining('was imported as history'),
      });
  });

  it('keeps the chains of thoughts whole', async () => {
    const colibri = await elsewhere.mcp('', '/mcp/colibri');
    expect(await colibri.call('audit_verify_chain', {})).toMatchObject({ data: { valid: true, record_count: 2 } });
  });

  it('goes away with its task, and leaves branches alone', async () => {
    const { projects } = await elsewhere.rest.does('GET', '/api/projects');
    const { tasks } = await elsewhere.rest.does('GET', `/api/projects/${projects[0].project_id}/tasks`);
    const task = (tasks as Json[]).find(({ latest_attempt_id }) => latest_attempt_id !== null)!;
    const deleted = await elsewhere.rest.does('DELETE', `/api/tasks/${task.task_id}`);
    expect(deleted).toMatchObject({ unmerged_branches: [] });
  });
});
