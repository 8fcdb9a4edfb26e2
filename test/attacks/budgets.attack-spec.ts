import { beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenAttempt, givenEndedAttempt, givenProject, untilEnded } from '../support/board.js';
import { EventStream } from '../support/event-stream.js';
import { eventually } from '../support/eventually.js';
import { untilSaid } from '../support/runs.js';

const MEGABYTE = 1024 * 1024;

describe('who takes more than a share', () => {
  const ground = AttackGround.use({ SHELL_EXECUTOR: 'on', MAX_CONCURRENT_EXECUTIONS: '2' });
  let project_id: string;
  let task_id: string;
  let attempt_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(ground.server));
    const ended = await givenEndedAttempt(ground.kanban, project_id);
    ({ task_id, attempt_id } = ended as { task_id: string; attempt_id: string });
  });

  describe('S9: answers without end', () => {
    it('a text of 3 MB', async () => {
      const body = { title: 'x', description: 'x'.repeat(3 * MEGABYTE) };
      expect((await ground.rest.send('POST', `/api/projects/${project_id}/tasks`, body)).status).toBe(400);
    });

    it.each(['/api/tasks/{task}/thought-records?limit=500', '/api/tasks/{task}/audit?limit=500'])(
      '%s',
      async (list) => {
        const thought = { type: 'plan', agent_id: '@ada', content: 'x'.repeat(MEGABYTE / 2) };
        for (let count = 0; count < 4; count += 1)
          await ground.rest.answers(201, 'POST', `/api/tasks/${task_id}/thought-records`, thought);
        const answer = await ground.rest.does('GET', list.replace('{task}', task_id));
        expect(JSON.stringify(answer).length).toBeLessThan(1.2 * MEGABYTE);
      },
    );
  });

  describe('S14: streams', () => {
    it('510 of one caller end the waiting of another', async () => {
      await ground.rest.does('POST', '/api/workers', {
        handle: '@mallory',
        name: 'Mallory',
        type: 'human',
        user_id: 'mallory',
      });
      const leave = new AbortController();
      const open = () =>
        fetch(`${ground.url}/api/attempts/${attempt_id}/events`, {
          headers: { 'x-user-id': 'mallory' },
          signal: leave.signal,
        });
      await Promise.all(Array.from({ length: 510 }, open));
      // on a busy machine some of them had no connection to the database in time
      await eventually('a refusal', async () => (await open()).status === 429);
      const live = await givenAttempt(ground.kanban, project_id, 'sleep 1');
      const status = await ground.kanban.call('get_attempt_status', { attempt_id: live.attempt_id, wait_ms: 20_000 });
      expect(status).toMatchObject({ state: 'completed' });
      leave.abort();
    });
  });

  describe('S21: streams', () => {
    const open = (headers: Record<string, string>, attempt = attempt_id) =>
      EventStream.open(`${ground.url}/api/attempts/${attempt}/events`, undefined, headers);

    it('a member who is removed reads on', async () => {
      const own = await givenProject(ground.server);
      const ended = await givenEndedAttempt(ground.kanban, own.project_id);
      const members = `/api/projects/${own.project_id}/members`;
      await ground.rest.answers(201, 'POST', members, { user_id: 'stays' });
      const { worker_id } = await ground.rest.answers(201, 'POST', members, { user_id: 'leaves' });
      const stream = await open({ 'x-user-id': 'leaves' }, ended.attempt_id as string);
      expect(stream.answer.statusCode).toBe(200);
      await ground.rest.does('DELETE', `${members}/${worker_id}`);
      expect(await stream.entries()).toEqual([]); // it has ended
      expect((await ground.rest.send('GET', members, undefined, { 'x-user-id': 'leaves' })).status).toBe(403);
    });

    it('answers without the headers of all others', async () => {
      const stream = await open({ origin: ground.url });
      expect(stream.answer.headers).toMatchObject({
        'access-control-allow-origin': ground.url,
        'x-content-type-options': 'nosniff',
      });
      stream.close();
    });
  });

  describe('S16: places', () => {
    it('the runs of one project hold every place', async () => {
      const greedy = await Promise.all(
        Array.from({ length: 6 }, () => givenAttempt(ground.kanban, project_id, 'echo on; sleep 2')),
      );
      const other = await givenProject(ground.server);
      const { attempt_id: modest } = await givenAttempt(ground.kanban, other.project_id, 'echo on');
      await untilSaid(ground.kanban, modest as string, 'on');
      const states = await Promise.all(
        greedy.map(({ attempt_id: one }) => ground.kanban.call('get_attempt_status', { attempt_id: one })),
      );
      expect(states.map(({ state }) => state as string)).toContain('running');
      for (const { attempt_id: one } of greedy)
        await ground.kanban.call('stop_attempt', { attempt_id: one, force: true });
    });
  });

  describe('S16: preparation', () => {
    it('trees whose filters never end hold the preparation of others', async () => {
      const slow = ground.repositories.repository('slow', { '.gitattributes': '* filter=slow', 'a.txt': 'a\n' });
      for (const command of ['smudge', 'clean', 'process']) slow.git('config', `filter.slow.${command}`, 'sleep 600');
      slow.git('config', 'filter.slow.required', 'true');
      const repos = [{ path: slow.dir, name: 'web' }];
      const { project_id: greedy } = await ground.rest.does('POST', '/api/projects', { name: 'Slow', repos });
      const attempts = await Promise.all(
        Array.from({ length: 4 }, () => givenAttempt(ground.kanban, greedy as string, 'true')),
      );
      const other = await givenProject(ground.server);
      expect(await givenEndedAttempt(ground.kanban, other.project_id)).toMatchObject({ state: 'completed' });
      for (const { attempt_id: one } of attempts)
        expect(await untilEnded(ground.kanban, one as string)).toMatchObject({ state: 'completed' });
    });
  });

  describe('S20: readers who leave something behind', () => {
    it.each(['GET /api/projects', 'GET /api/workers', 'POST /mcp'])('%s', async (call) => {
      const [method, path] = call.split(' ') as [string, string];
      const before = (await ground.rest.does('GET', '/api/workers')).workers as object[];
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } };
      await ground.rest.send(method, path, method === 'POST' ? list : undefined, { 'x-user-id': `nobody-${path}` });
      expect((await ground.rest.does('GET', '/api/workers')).workers).toEqual(before);
    });
  });
});

describe('S20: what grows for ever', () => {
  const ground = AttackGround.use({
    SHELL_EXECUTOR: 'on',
    MAX_STORED_BYTES_PER_PROJECT: String(2 * MEGABYTE),
    MAX_STORED_BYTES_PER_PRINCIPAL: String(3 * MEGABYTE),
    RUN_LOG_MAX_BYTES: String(MEGABYTE / 2),
  });
  const description = 'x'.repeat(MEGABYTE / 2);
  const stored = async (): Promise<number> => {
    const sql = "SELECT pg_total_relation_size('tasks') + sum(octet_length(description)) AS bytes FROM tasks";
    return Number((await ground.query<{ bytes: string }>(sql))[0]!.bytes);
  };

  it('tasks of one project', async () => {
    const { project_id } = await ground.rest.does('POST', '/api/projects', { name: 'Flooded' });
    const flood = Array.from({ length: 20 }, () =>
      ground.rest.send('POST', `/api/projects/${project_id}/tasks`, { title: 'x', description }),
    );
    const refused = (await Promise.all(flood)).filter(({ status }) => status !== 201);
    expect(refused.length).toBeGreaterThanOrEqual(16);
    for (const { status, body } of refused)
      expect([status, body.code, body.details.limit]).toEqual([429, 'too_much_stored', 'MAX_STORED_BYTES_PER_PROJECT']);
    expect(await stored()).toBeLessThan(5 * MEGABYTE);
  });

  it('projects of one caller', async () => {
    const flood: number[] = [];
    for (let count = 0; count < 12; count += 1)
      flood.push((await ground.rest.send('POST', '/api/projects', { name: `x${count}`, description })).status);
    expect(flood.at(-1)).toBe(429);
  });

  it('the log of a run, and one run after the other', async () => {
    const rest = { 'x-user-id': 'mallory' };
    const { project_id } = await givenProject(ground.server);
    const { task_id } = await ground.rest.answers(
      201,
      'POST',
      `/api/projects/${project_id}/tasks`,
      { title: 'x' },
      rest,
    );
    const prompt = "head -c 2000000 /dev/zero | tr '\\0' x | fold -w 500";
    const statuses: number[] = [];
    for (let count = 0; count < 12 && !statuses.includes(429); count += 1) {
      const start = { executor: 'SHELL', prompt };
      const { status, body } = await ground.rest.send('POST', `/api/tasks/${task_id}/attempts`, start, rest);
      statuses.push(status);
      if (status === 201) await untilEnded(ground.kanban, body.attempt_id as string);
    }
    expect(statuses.at(-1)).toBe(429);
  });
});
