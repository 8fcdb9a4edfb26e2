import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createClient, type ProjectEvent, TaskyardError } from '../../../src/client/index.js';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { FragileLine } from '../../support/fragile-line.js';
import { tokenOf } from '../../support/local-tokens.js';

const board = Board.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
});
let line: FragileLine | undefined;
afterEach(async () => {
  await line?.close();
  line = undefined;
});

const clientOf = (baseUrl: string) => createClient({ baseUrl, token: () => tokenOf(board.server.url) ?? '' });
const direct = () => clientOf(board.server.url);
/** A client whose line to the server can break. */
async function overLine() {
  line = await FragileLine.open();
  line.lead(board.server.url);
  return { line, client: clientOf(line.addressFor(board.server.url)) };
}

describe('taskyard/client', () => {
  it('answers what an operation answers, and throws its refusals with what to do', async () => {
    const { projects } = await direct().GET('/api/projects');
    expect(projects.map((project) => project.project_id)).toContain(project_id);
    const task_id = '0198c0de-0000-7000-8000-000000000003';
    const refused = direct().GET('/api/tasks/{task_id}', { params: { path: { task_id } } });
    await expect(refused).rejects.toMatchObject({ code: 'task_not_found', retryable: false, status: 404 });
    const error = (await refused.catch((thrown: unknown) => thrown)) as TaskyardError;
    expect(error).toBeInstanceOf(TaskyardError);
    expect(error.hint).not.toBe('');
    expect(error.next).toMatchObject({ method: 'GET' });
  });

  it('says that nobody answers', async () => {
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:1' }).POST('/api/projects', { body: { name: 'x' } });
    await expect(nobody).rejects.toMatchObject({ code: 'unreachable', retryable: true, status: 0 });
  });

  it('creates once what it had to ask twice for, because the answer was lost', async () => {
    const { line, client } = await overLine();
    const title = 'Heard once';
    line.loseAnswerTo(title);
    const params = { path: { project_id } };
    const task = await client.POST('/api/projects/{project_id}/tasks', { params, body: { title } });
    expect(task.replayed).toBe(true);
    const query = { query: title };
    const { tasks } = await client.GET('/api/projects/{project_id}/tasks', { params: { ...params, query } });
    expect(tasks.map(({ task_id }) => task_id)).toEqual([task.task_id]);
  });

  it('waits as long as it is told to, and asks again', async () => {
    const answers = [429, 503, 200];
    const server: Server = createServer((_, response) => {
      const status = answers.shift() ?? 500;
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' });
      response.end('{"projects":[],"a_field_of_tomorrow":1}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    expect(await client.GET('/api/projects')).toMatchObject({ projects: [] });
    expect(answers).toEqual([]);
    server.closeAllConnections();
    server.close();
  });
});

describe('followLog', () => {
  it('goes through all turns, without loss or repetition where the line breaks in between', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await board.attempt(project_id, `seq 1 300; ${wait}; seq 301 600`);
    await board.kanban.call('follow_up', { attempt_id, action: 'queue', prompt: 'seq 601 700' });
    const { line, client } = await overLine();
    const said: string[] = [];
    for await (const { entry } of client.followLog(attempt_id as string, { channel: 'raw' })) {
      said.push(entry.content);
      if (said.length !== 300) continue;
      line.cut();
      open();
      setTimeout(() => line.heal(), 1_500);
    }
    expect(said).toEqual(Array.from({ length: 700 }, (_, index) => String(index + 1)));
  });

  it('begins behind an entry, and ends when it is told to', async () => {
    const { wait, open } = gate(board.server);
    const { attempt_id } = await board.attempt(project_id, `seq 1 5; ${wait}`);
    const leaving = new AbortController();
    const said: string[] = [];
    const follow = async () => {
      const options = { channel: 'raw', after: 2, signal: leaving.signal } as const;
      for await (const { entry } of direct().followLog(attempt_id as string, options))
        if (said.push(entry.content) === 2) leaving.abort(new Error('enough'));
    };
    await expect(follow()).rejects.toThrow('enough');
    expect(said).toEqual(['4', '5']);
    open();
  });
});

describe('waitForAttempt', () => {
  it('returns when the run has ended, and when a person is asked', async () => {
    const ended = await board.attempt(project_id, 'echo done');
    expect(await direct().waitForAttempt(ended.attempt_id as string)).toMatchObject({ state: 'completed' });
    const task_id = await board.task(project_id, 'Ask', 'ask touch x');
    const asking = await board.kanban.call('start_task_attempt', { task_id, executor: 'DEMO', variant: 'APPROVALS' });
    const status = await direct().waitForAttempt(asking.attempt_id as string);
    expect(status).toMatchObject({ state: 'running', approval: { approval_id: expect.any(String) } });
    await board.kanban.call('stop_attempt', { attempt_id: asking.attempt_id });
  });
});

describe('events', () => {
  it('go on where the line broke, without loss or repetition', async () => {
    const { project_id: own } = await board.project();
    const { line, client } = await overLine();
    const heard: ProjectEvent[] = [];
    const titles = Array.from({ length: 6 }, (_, index) => `task ${index}`);
    const create = (title: string) => board.task(own, title);
    await create(titles[0]!);
    for await (const event of client.events({ project_id: own, after: 0 })) {
      heard.push(event);
      if (heard.length === titles.length) break;
      line.cut();
      await create(titles[heard.length]!);
      line.heal();
    }
    expect(heard.map(({ type }) => type)).toEqual(titles.map(() => 'taskyard.task.created'));
    expect(new Set(heard.map(({ subject }) => subject)).size).toBe(titles.length);
  });
});
