import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { drawsOf } from '../../support/chaos/chaos-schedule.js';

const board = Board.use();
let project_id: string;
let attempt: Json;
let task_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
  task_id = await board.task(project_id, 'Feed the quokka', `${'Far away. '.repeat(50)}It likes Eucalyptus leaves.`);
  attempt = await board.endedAttempt(project_id, 'echo wallaby > read.txt; echo wallaby');
  const { attempt_id } = attempt;
  await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo bandicoot; echo told' });
  await board.untilEnded(attempt_id as string);
  const comment = { path: 'web/read.txt', side: 'new', line: 1, text: 'Ask the numbat first' };
  await board.rest.answers(201, 'POST', `/api/attempts/${attempt_id}/comments`, comment);
});

const search = (query: string, rest = board.rest): Promise<Json> => rest.does('GET', `/api/search?q=${query}`);
const found = async (query: string, rest = board.rest): Promise<[string, string][]> =>
  ((await search(query, rest)).results as Json[]).map(({ kind, title }) => [kind as string, title as string]);

describe('the search', () => {
  it('finds tasks by title and text, messages, answers and comments, with the text around the word', async () => {
    expect((await search('eucalyptus')).results).toEqual([
      {
        ...{ kind: 'task', task_id, project_id, title: 'Feed the quokka', at: expect.any(String) },
        excerpt: expect.stringMatching(/^… .*Far away\. It likes Eucalyptus leaves\.$/),
      },
    ]);
    expect(await found('quokka')).toEqual([['task', 'Feed the quokka']]);
    expect((await search('bandicoot')).results).toMatchObject([
      { kind: 'answer', attempt_id: attempt.attempt_id, task_id: attempt.task_id },
      { kind: 'message', attempt_id: attempt.attempt_id, excerpt: 'echo bandicoot; echo told' },
    ]);
    expect(await found('wallaby')).toEqual([
      ['answer', 'Say hello'],
      ['task', 'Say hello'], // what the agent was told first is the text of the task
    ]);
    expect((await search('numbat')).results).toMatchObject([
      { kind: 'comment', attempt_id: attempt.attempt_id, task_id: attempt.task_id, excerpt: 'Ask the numbat first' },
    ]);
  });

  it('asks for all words, of which the last may be begun', async () => {
    expect(await found('LIKES%20euca')).toEqual([['task', 'Feed the quokka']]);
    expect(await found('euca%20likes')).toEqual([]);
    expect(await found('likes%20numbat')).toEqual([]);
    expect(await found("'%20!%20%26%20(")).toEqual([]);
    await board.rest.answers(400, 'GET', '/api/search?q=%20');
  });

  it('is narrowed to kinds and to a project', async () => {
    const kindsOf = async (query: string) => (await found(query)).map(([kind]) => kind);
    expect(await kindsOf('bandicoot&kinds=message')).toEqual(['message']);
    expect(await kindsOf('wallaby&kinds=task,comment')).toEqual(['task']);
    const other = await board.bareProject();
    expect(await kindsOf(`wallaby&project_id=${other}`)).toEqual([]);
    expect(await kindsOf(`wallaby&project_id=${project_id}`)).toEqual(['answer', 'task']);
    await board.rest.answers(400, 'GET', '/api/search?q=x&kinds=nothing');
  });

  it('goes on where a page ended, through all kinds', async () => {
    const pages: Json[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Json = await search(`echo&limit=1&cursor=${cursor}`);
      pages.push(...(page.results as Json[]));
      cursor = page.next_cursor as string | null;
    }
    expect(pages).toEqual((await search('echo')).results);
    expect(pages.map(({ kind }) => kind)).toEqual(['message', 'task']);
    await board.rest.answers(400, 'GET', '/api/search?q=echo&cursor=7');
  });

  it('forgets a task that is deleted, with all that was said about it', async () => {
    const gone = await board.endedAttempt(project_id, 'echo potoroo > read.txt; echo potoroo');
    const comment = { path: 'web/read.txt', side: 'new', line: 1, text: 'No potoroo here' };
    await board.rest.answers(201, 'POST', `/api/attempts/${gone.attempt_id}/comments`, comment);
    expect((await found('potoroo')).map(([kind]) => kind).sort()).toEqual(['answer', 'comment', 'task']);
    await board.kanban.call('delete_task', { task_id: gone.task_id });
    expect(await found('potoroo')).toEqual([]);
  });
});

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'hazel'];
const CALLERS = ['ann', 'ben', 'cleo'];
const QUERIES = 400;

describe('the search of several people', () => {
  const projects: Record<string, string> = {};
  beforeAll(async () => {
    for (const caller of CALLERS) projects[caller] = await board.bareProject(caller, `Of ${caller}`);
    for (const caller of CALLERS)
      await board.server.query(
        `INSERT INTO tasks (id, project_id, title, description, stage)
         SELECT gen_random_uuid(), $1, 'Row ' || n, (
           SELECT string_agg(word, ' ') FROM unnest($2::text[]) WITH ORDINALITY w (word, bit)
           WHERE n & (1 << bit::int - 1) > 0
         ), 'INIT'
         FROM generate_series(0, 255) n`,
        [projects[caller], WORDS],
      );
  });

  it('never shows what is in a project of others, whatever is asked', async () => {
    const random = drawsOf(37);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    for (let asked = 0; asked < QUERIES; asked += 1) {
      const caller = pick(CALLERS);
      const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(WORDS));
      const last = words.at(-1)!.slice(0, 2 + Math.floor(random() * 4));
      const query = encodeURIComponent([...words.slice(0, -1), last].join(' '));
      const { results } = await search(`${query}&limit=50`, board.as(caller));
      const foreign = (results as Json[]).filter((result) => result.project_id !== projects[caller]);
      expect([query, foreign]).toEqual([query, []]);
      const expected = 256 >> new Set(words).size;
      expect([query, (results as Json[]).length]).toEqual([query, Math.min(50, expected)]);
    }
  });

  it('does not find a project of others by its id', async () => {
    await board.as('ann').answers(403, 'GET', `/api/search?q=amber&project_id=${projects.ben}`);
  });
});

describe('the work of a person', () => {
  it('has the open tasks that are assigned to them, in every project that they see', async () => {
    const work = async (user: string) =>
      ((await board.as(user).does('GET', '/api/work')).tasks as Json[]).map(({ title }) => title as string);
    const handle = '@dora';
    const dora = await board.worker(handle, 'human', 'dora');
    const [own, foreign] = [await board.bareProject('dora'), await board.bareProject('eve')];
    for (const [project, title] of [
      [own, 'Open'],
      [own, 'Done'],
      [own, 'Of nobody'],
      [foreign, 'Behind a door'],
    ] as const) {
      const id = await board.rest.answers(201, 'POST', `/api/projects/${project}/tasks`, { title });
      if (title !== 'Of nobody')
        await board.server.query('UPDATE tasks SET assignee_worker_id = $2 WHERE id = $1', [id.task_id, dora]);
      if (title === 'Done') await board.rest.does('PUT', `/api/tasks/${id.task_id}`, { status: 'done' });
    }
    expect(await work('dora')).toEqual(['Open']);
    expect(await work('eve')).toEqual([]);
    const { tasks } = await board.rest.does('GET', '/api/work?limit=500'); // the owner of the server is no worker
    expect((tasks as Json[]).map(({ title }) => title)).toEqual(expect.arrayContaining(['Behind a door', 'Of nobody']));
  });
});
