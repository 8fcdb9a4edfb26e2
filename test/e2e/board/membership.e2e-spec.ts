import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, untilEnded } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

type Ids = Record<'project' | 'task' | 'attempt' | 'session' | 'execution' | 'repo', string>;

const board = Board.use();
let closed: Ids;
let open: Ids;
beforeAll(async () => {
  await board.worker('@member');
  await board.worker('@outsider');
  [closed, open] = [await worked(), await worked()];
  await board.member(closed.project, '@member', 'owner');
});

/** A project whose task was worked on once. */
async function worked(): Promise<Ids> {
  const { project_id, repo_id } = await givenProject(board.server);
  const task = await board.task(project_id);
  const { attempt_id, session_id, execution_process_id } = await board.kanban.call('start_task_attempt', {
    task_id: task,
    executor: 'SHELL',
    prompt: 'echo hello > hello.txt',
  });
  await untilEnded(board.kanban, attempt_id as string);
  return {
    project: project_id,
    repo: repo_id,
    task,
    attempt: attempt_id as string,
    session: session_id as string,
    execution: execution_process_id as string,
  };
}

/** Every REST endpoint that names something of a project. Those that end or take away come last.
 *  `test/attacks` calls each as somebody who is no member. */
const endpoints: [string, (ids: Ids) => string, object?][] = [
  ['GET', ({ project }) => `/api/projects/${project}`],
  ['PUT', ({ project }) => `/api/projects/${project}`, { description: 'seen' }],
  ['GET', ({ project }) => `/api/projects/${project}/repos`],
  ['POST', ({ project }) => `/api/projects/${project}/repos`, { path: '/nowhere' }],
  ['GET', ({ project }) => `/api/projects/${project}/members`],
  ['GET', ({ project }) => `/api/projects/${project}/audit`],
  ['GET', ({ project }) => `/api/projects/${project}/tasks`],
  ['POST', ({ project }) => `/api/projects/${project}/tasks`, { title: 'x' }],
  ['GET', ({ task }) => `/api/tasks/${task}`],
  ['PUT', ({ task }) => `/api/tasks/${task}`, { description: 'seen' }],
  ['PATCH', ({ task }) => `/api/tasks/${task}/assign`, { assignee_handle: '@member' }],
  ['PATCH', ({ task }) => `/api/tasks/${task}/status`, { status: 'in_progress' }],
  ['PATCH', ({ task }) => `/api/tasks/${task}/progress`, { percent: 5 }],
  ['POST', ({ task }) => `/api/tasks/${task}/subtasks`, { title: 'x' }],
  ['POST', ({ task }) => `/api/tasks/${task}/approve`],
  ['POST', ({ task }) => `/api/tasks/${task}/reject`, { reason: 'x' }],
  ['GET', ({ task }) => `/api/tasks/${task}/audit`],
  ['GET', ({ task }) => `/api/tasks/${task}/thought-records`],
  ['POST', ({ task }) => `/api/tasks/${task}/thought-records`, { type: 'plan', agent_id: 'me', content: 'x' }],
  ['GET', ({ task }) => `/api/tasks/${task}/attempts`],
  ['POST', ({ task }) => `/api/tasks/${task}/attempts`],
  ['GET', ({ attempt }) => `/api/attempts/${attempt}`],
  ['GET', ({ attempt }) => `/api/attempts/${attempt}/logs`],
  ['GET', ({ attempt }) => `/api/attempts/${attempt}/messages`],
  ['GET', ({ attempt }) => `/api/attempts/${attempt}/changes`],
  ['GET', ({ attempt }) => `/api/attempts/${attempt}/file?path=web/hello.txt`],
  ['POST', ({ attempt }) => `/api/attempts/${attempt}/patch`, { paths: ['web/hello.txt'] }],
  ['POST', ({ attempt }) => `/api/attempts/${attempt}/stop`],
  ['GET', ({ session }) => `/api/sessions/${session}`],
  ['GET', ({ session }) => `/api/sessions/${session}/messages`],
  ['GET', ({ session }) => `/api/sessions/${session}/queue`],
  ['DELETE', ({ session }) => `/api/sessions/${session}/queue`],
  ['POST', ({ attempt }) => `/api/attempts/${attempt}/follow-up`, { action: 'cancel' }],
  ['POST', ({ session }) => `/api/sessions/${session}/follow-up`, { action: 'cancel' }],
  ['POST', ({ attempt }) => `/api/attempts/${attempt}/sessions`, { executor: 'SHELL', prompt: 'true' }],
  ['DELETE', ({ project, repo }) => `/api/projects/${project}/repos/${repo}`],
];
const placeholders = {
  project: '{project}',
  task: '{task}',
  attempt: '{attempt}',
  session: '{session}',
  execution: '{execution}',
  repo: '{repo}',
};
const named = endpoints.map(([method, path, body]) => [`${method} ${path(placeholders)}`, method, path, body] as const);

/** First bytes of a stream, or the refusal; the stream is closed. */
async function stream(path: string, user?: string): Promise<Json> {
  const response = await fetchAsOwner(board.server.url + path, { headers: user ? { 'x-user-id': user } : {} });
  if (response.status !== 200) return { status: response.status, ...((await response.json()) as Json) };
  await response.body?.cancel();
  return { status: 200 };
}

describe('over REST', () => {
  it.each(named)(
    '%s is open to members, to callers that name nobody, and in a project without members',
    async (_, method, path, body) => {
      const answers = [
        await board.as('@member').send(method, path(closed), body),
        await board.rest.send(method, path(closed), body),
        await board.as('@outsider').send(method, path(open), body),
      ];
      expect(answers.map((answer) => [answer.status === 403, answer.body.code === 'not_a_member'])).toEqual(
        Array(3).fill([false, false]),
      );
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    },
  );

  it.each([
    ['attempts', 'events'],
    ['executions', 'logs/stream'],
  ])('the stream of %s is closed to who is no member', async (kind, end) => {
    const path = (ids: Ids) => `/api/${kind}/${kind === 'attempts' ? ids.attempt : ids.execution}/${end}`;
    expect(await stream(path(closed), '@outsider')).toMatchObject({ status: 403, code: 'not_a_member' });
    for (const allowed of [stream(path(closed), '@member'), stream(path(closed)), stream(path(open), '@outsider')])
      expect(await allowed).toEqual({ status: 200 });
  });

  it('GET /api/projects leaves out what is closed', async () => {
    const listed = async (user?: string) =>
      ((await (user ? board.as(user) : board.rest).does('GET', '/api/projects')).projects as Json[]).map(
        ({ project_id }) => project_id as string,
      );
    expect(await listed('@outsider')).toEqual([open.project]);
    expect(await listed('@member')).toEqual([open.project, closed.project]);
    expect(await listed()).toEqual([open.project, closed.project]);
  });
});

describe('over MCP with the header X-User-Id', () => {
  let member: McpClient;
  beforeAll(async () => {
    member = await board.mcpAs('@member', '/mcp');
  });

  it('a member works, and is the actor', async () => {
    expect(await member.call('list_projects')).toMatchObject({
      projects: [{ project_id: open.project }, { project_id: closed.project }],
    });
    const { task_id } = await member.call('create_task', { project_id: closed.project, title: 'By the member' });
    expect(await board.audit(task_id as string)).toMatchObject([
      { action: 'created', actor: '@member', actor_type: 'agent' },
    ]);
  });

  it('an attempt of a closed project is not bound', async () => {
    await expect(board.mcpAs('@outsider', `/mcp?attempt_id=${closed.attempt}`)).rejects.toThrow('not_a_member');
    expect(await (await board.mcpAs('@member', `/mcp?attempt_id=${closed.attempt}`)).call('get_context')).toMatchObject(
      { project_id: closed.project },
    );
  });

  it('Colibri refuses a task of a closed project, and leaves it out of its lists', async () => {
    const colibri = await board.mcpAs('@outsider', '/mcp/colibri');
    await board.colibri.call('thought_record', {
      task_id: closed.task,
      type: 'plan',
      agent_id: 'me',
      content: 'secret',
    });
    for (const [name, args] of [
      ['task_get', { id: closed.task }],
      ['task_update', { id: closed.task, patch: {} }],
      ['thought_record_list', { task_id: closed.task }],
      ['task_create', { title: 'x', project_id: closed.project }],
    ] as const) {
      expect(await colibri.refused(name, args)).toMatchObject({
        ok: false,
        error: { code: 'HANDLER_ERROR', message: 'Not a member of this project' },
      });
    }
    for (const name of ['task_list', 'task_next_actions'])
      expect(
        ((await colibri.call(name)).data.tasks as Json[]).filter(({ project_id }) => project_id === closed.project),
      ).toEqual([]);
    expect((await colibri.call('task_list', { project_id: closed.project })).data).toEqual({
      tasks: [],
      total_count: 0,
    });
    const all = {
      inside: (await board.colibri.call('thought_record_list')).data,
      outside: (await colibri.call('thought_record_list')).data,
    };
    expect(all.outside.total_count).toBeLessThan(all.inside.total_count as number);
    expect(JSON.stringify(all.outside)).not.toContain('secret');
  });
});
