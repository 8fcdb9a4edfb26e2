import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, givenTask } from '../support/board.js';
import { expectFitting } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';
import { fileOf, type Lines, toText } from '../support/transfer.js';

const browser = PageBrowser.use();
const elsewhere = { kind: 'project', external_id: 'shop', name: 'From elsewhere' };
const task = (external_id: string, more = {}) => ({ kind: 'task', external_id, title: `Task ${external_id}`, ...more });
const ofShop = (external_id: string) => task(external_id, { project: { external_id: 'shop' } });

describePages('exports and imports', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server, { name: 'Moved' }));
    await givenTask(await server.mcp(), project_id, 'true', 'written down');
  });

  const settings = () => `${server.url}/ui/p/${project_id}/settings`;
  const tasksOf = async (id: string) =>
    ((await server.rest.answers(200, 'GET', `/api/projects/${id}/tasks`)).tasks as { title: string }[])
      .map(({ title }) => title)
      .sort();
  const choose = (page: Page, label: string, lines: Lines) =>
    page.getByLabel(label).setInputFiles({
      name: 'it.ndjson',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(toText(lines)),
    });
  const importIt = (page: Page) => page.getByRole('button', { name: 'Import', exact: true });

  it('a maintainer saves a project as lines', async () => {
    const page = await browser.open(settings());
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = await saved;
    expect(download.suggestedFilename()).toBe('moved.ndjson');
    const lines = await text(await download.createReadStream());
    expect(lines.split('\n')[0]).toContain('"format":"taskyard-export"');
    expect(lines).toContain('"title":"written down"');
  });

  it('tasks come into a project, once their number was shown', async () => {
    const page = await browser.open(settings());
    await choose(page, 'Tasks of an export', fileOf(task('1'), task('2')));
    await page.getByText('Brings 2 tasks. Already there, and left as it is: nothing.').waitFor();
    await expectFitting(page, 'before an import');
    expect(await tasksOf(project_id)).toEqual(['written down']);
    await importIt(page).click();
    await page.getByText('Imported', { exact: true }).waitFor();
    expect(await tasksOf(project_id)).toEqual(['Task 1', 'Task 2', 'written down']);
    await choose(page, 'Tasks of an export', fileOf(task('1'), task('3')));
    await page.getByText('Brings 1 task. Already there, and left as it is: 1 task.').waitFor();
  });

  it('bad lines are named, and nothing can be imported', async () => {
    const page = await browser.open(settings());
    await choose(page, 'Tasks of an export', fileOf(task('8', { stage: 'NOWHERE' }), task('9', { due_date: 'never' })));
    await page.getByRole('alert').getByText('line 2').waitFor();
    await page
      .getByRole('listitem')
      .getByText(/^Line 3 /)
      .waitFor();
    browser.forgive(/status of 400/);
    expect(await importIt(page).isDisabled()).toBe(true);
  });

  it('a whole export makes its project where projects are made', async () => {
    const page = await browser.open(`${server.url}/ui/projects`);
    await choose(page, 'An export of projects', fileOf(elsewhere, ofShop('1')));
    await page.getByText('Brings 1 project, 1 task.').waitFor();
    await importIt(page).click();
    await page.getByRole('main').getByRole('link', { name: 'From elsewhere', exact: true }).click();
    await page.getByText('Task 1').waitFor();
  });

  it('members see neither', async () => {
    const place = `/api/projects/${project_id}/members`;
    await server.rest.answers(201, 'POST', place, { user_id: 'mia', role: 'member' });
    const mia = { name: 'of mia', scopes: ['read', 'write'], user_id: 'mia' };
    const { token } = await server.rest.answers(201, 'POST', '/api/tokens', mia);
    const page = await browser.open(settings(), {}, token as string);
    await page.getByRole('banner').getByText('mia, member').waitFor();
    expect(await page.getByRole('region', { name: 'Export and import' }).count()).toBe(0);
  });
});
