import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject } from '../support/board.js';
import { expectFitting } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('what a task is beside its words', () => {
  const server = TestServer.use();
  let project_id: string;
  let task_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    const add = (title: string) => server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title });
    ({ task_id } = (await add('Paint the shed')) as { task_id: string });
    await add('Renovate the garden');
    await server.rest.answers(201, 'POST', '/api/workers', { handle: '@ada', name: 'Ada', type: 'human' });
  });
  const read = () => server.rest.answers(200, 'GET', `/api/tasks/${task_id}`);
  const until = (field: string, value: unknown) =>
    eventually(field, async () => JSON.stringify((await read())[field]) === JSON.stringify(value));
  const open = async (): Promise<Page> => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    await page.getByLabel('Status').waitFor();
    return page;
  };

  it('is its status, priority, assignee, day and tags, each of which can be set and cleared', async () => {
    const page = await open();
    await page.route('**/api/tasks/*', (route) => void setTimeout(() => void route.continue(), 300));
    await page.getByLabel('Status').selectOption('inreview');
    await page.getByLabel('Priority').selectOption('low'); // before the answer
    await until('status', 'inreview');
    await page.getByLabel('Priority').selectOption('high');
    await until('priority', 'high');
    await page.getByLabel('Assignee').selectOption({ label: 'Ada (@ada)' });
    await until('assignee', '@ada');
    await page.getByLabel('Tags, with commas between them').fill('wood, colour');
    await page.getByLabel('Due').fill('2030-02-03');
    await page.getByRole('button', { name: 'Save tags and day' }).click();
    await until('tags', ['wood', 'colour']);
    expect((await read()).due_date).toMatch(/^2030-02-0[23]T/);
    await expectFitting(page, 'properties');
    await page.getByLabel('Priority').selectOption('');
    await until('priority', null);
    await page.getByLabel('Assignee').selectOption('');
    await until('assignee', null);
    await page.getByLabel('Due').fill('');
    await page.getByRole('button', { name: 'Save tags and day' }).click();
    await until('due_date', null);
  });

  it('is the task that it is a part of', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Choose a parent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Choose a parent' });
    await dialog.getByRole('searchbox').fill('renov');
    await dialog.getByRole('button', { name: 'Renovate the garden' }).waitFor();
    await expectFitting(page, 'a parent');
    await dialog.getByRole('button', { name: 'Renovate the garden' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Renovate the garden' }).waitFor();
    await page.getByRole('button', { name: 'Remove parent' }).click();
    await until('parent_task_id', null);
  });

  it('is its parts, of which more can be added', async () => {
    const page = await open();
    await page.getByLabel('New subtask').fill('Buy paint');
    await page.getByRole('button', { name: 'Add subtask' }).click();
    await page.getByRole('link', { name: 'Buy paint' }).click();
    await page.getByRole('heading', { level: 1, name: 'Buy paint' }).waitFor();
    await page.getByRole('link', { name: 'Parent task' }).click();
    await page.getByRole('heading', { level: 1, name: 'Paint the shed' }).waitFor();
    expect(await page.getByLabel('New subtask').inputValue()).toBe('');
  });

  it('is only told to whoever may not change it', async () => {
    const made = await server.rest.answers(201, 'POST', '/api/tokens', { name: 'reader', scopes: ['read'] });
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${task_id}`, {}, made.token as string);
    await page.getByRole('link', { name: 'Buy paint' }).waitFor();
    expect(await page.getByText('Properties').count()).toBe(0);
    expect(await page.getByLabel('New subtask').count()).toBe(0);
  });
});
