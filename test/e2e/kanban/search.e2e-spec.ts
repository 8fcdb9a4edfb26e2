import { beforeAll, describe, expect, it } from '@jest/globals';
import { termQuery } from '../../../src/platform/database/word-search.js';
import { LIST_OF_WORDS } from '../../../src/tasks/read-tasks.sql.js';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  project_id = await board.bareProject(undefined, 'Quokka garden');
  const other = await board.bareProject();
  await board.task(project_id, 'Add a Health-Check');
  await board.task(project_id, 'Paint the fence', 'healthy wood, file web/new_page.txt, Grüße');
  await board.task(project_id, 'Unhealthy things');
  await board.task(other, 'Health check elsewhere');
});

const titles = ({ tasks }: Json) => (tasks as Json[]).map(({ title }) => title as string);
const found = async (query: string, more: object = {}) =>
  titles(await board.kanban.call('list_tasks', { project_id, query, ...more }));

describe('list_tasks by words', () => {
  it.each([
    ['health', ['Paint the fence', 'Add a Health-Check']],
    ['HEALTH check', ['Add a Health-Check']],
    ['check-add', ['Add a Health-Check']],
    ['new_page', ['Paint the fence']],
    ['page.txt', ['Paint the fence']],
    ['grüß', ['Paint the fence']],
    ['ealth', []],
    ['health nothing', []],
    ["'; drop | ! & (", []],
    ['!!!', []],
    ['', ['Unhealthy things', 'Paint the fence', 'Add a Health-Check']],
  ])('%j finds %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it('goes with status, pages and REST, and finds no project word', async () => {
    expect(await found('health', { status: 'done' })).toEqual([]);
    const first = await board.kanban.call('list_tasks', { project_id, query: 'health', limit: 1 });
    expect([titles(first), first.has_more, first.applied_filters]).toEqual([
      ['Paint the fence'],
      true,
      { query: 'health', limit: 1 },
    ]);
    expect(await found('health', { cursor: first.next_cursor as number })).toEqual(['Add a Health-Check']);
    expect(await found(project_id.slice(0, 4))).toEqual([]);
    expect(titles(await board.rest.does('GET', `/api/projects/${project_id}/tasks?query=fence`))).toHaveLength(1);
  });

  it('reads by the index of words, which holds the project as one of them', async () => {
    const large = await board.bareProject();
    await board.server.query(
      `INSERT INTO tasks (id, project_id, title, stage)
       SELECT gen_random_uuid(), $1, 'Filler ' || n, 'INIT' FROM generate_series(1, 3000) n`,
      [large],
    );
    await board.server.query('ANALYZE tasks');
    const terms = termQuery({ words: 'rare', signs: [`@${large}`] });
    const values = [large, null, 1_000_000_000, 51, null, terms];
    const plan = JSON.stringify(await board.server.query(`EXPLAIN ${LIST_OF_WORDS.text}`, values));
    expect(plan).toContain('tasks_by_terms');
  });
});

describe('list_tasks with fields', () => {
  it('answers these alone, over MCP and REST', async () => {
    const fields = ['task_id', 'title', 'status'];
    const { tasks } = await board.kanban.call('list_tasks', { project_id, fields });
    expect((tasks as Json[]).map((row) => Object.keys(row))).toEqual([fields, fields, fields]);
    const path = `/api/projects/${project_id}/tasks?fields=`;
    expect(await board.rest.does('GET', `${path}title,status`)).toMatchObject({
      tasks: [{ title: 'Unhealthy things', status: 'todo' }, {}, {}],
    });
    const twice = await board.rest.does('GET', `${path}title&fields=task_id`);
    expect(Object.keys(twice.tasks[0] as Json)).toEqual(['title', 'task_id']);
  });

  it('refuses one that no row has, and names them', async () => {
    const { message } = await board.kanban.refused('list_tasks', { project_id, fields: ['titel'] });
    expect(message).toContain('fields');
    expect(message).toContain('workspace_branch');
  });
});

describe('list_projects by words', () => {
  it('looks into name, slug and description', async () => {
    const one = await board.rest.does('POST', '/api/projects', { name: 'Wombat', description: 'Burrows and quokkas' });
    const names = async (query: string) =>
      ((await board.kanban.call('list_projects', { query })).projects as Json[]).map(({ name }) => name as string);
    expect(await names('quokka')).toEqual(['Wombat', 'Quokka garden']);
    expect(await names('QUOKKA garden')).toEqual(['Quokka garden']);
    expect(await names('burrow wom')).toEqual(['Wombat']);
    const overRest = await board.rest.does('GET', `/api/projects?query=${String(one.slug)}`);
    expect(overRest.projects).toHaveLength(1);
  });
});
