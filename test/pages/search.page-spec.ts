import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { givenEndedAttempt, givenProject } from '../support/board.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const ASSETS = path.join(import.meta.dirname, '../../dist/src/pages/client/assets');

describePages('finding things on the page', () => {
  const server = TestServer.use();
  let ui: string;
  let project_id: string;
  let other: string;
  const create = (project: string, task: object) =>
    server.rest.answers(201, 'POST', `/api/projects/${project}/tasks`, task);
  const project = async (name: string) =>
    (await server.rest.answers(201, 'POST', '/api/projects', { name })).project_id as string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server, { name: 'Web shop' }));
    other = await project('Garden');
    ui = `${server.url}/ui/p/${project_id}`;
    await create(project_id, { title: 'Water the roses', tags: ['outside'], priority: 'high' });
    await create(project_id, { title: 'Sweep the yard', tags: ['outside', 'dry'] });
    await create(other, { title: 'Prune the roses', description: 'Not below the third bud.' });
  });

  const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
  const option = (page: Page, name: string) => palette(page).getByRole('option', { name });

  it('has a palette of tasks, projects and actions that is loaded when it is wanted', async () => {
    const page = await browser.prepare(server.url);
    const scripts: string[] = [];
    page.on('request', (request) => scripts.push(path.basename(request.url())));
    await page.goto(ui);
    await page.getByRole('link', { name: 'Water the roses' }).waitFor();
    const palettes = readdirSync(ASSETS).filter((name) =>
      readFileSync(path.join(ASSETS, name)).includes('Search everywhere for'),
    );
    expect(palettes).toHaveLength(1);
    expect(scripts).not.toContain(palettes[0]);
    await page.keyboard.press('Control+k');
    await option(page, 'Garden').waitFor(); // before anything is typed
    await option(page, 'Go to the inbox').waitFor();
    expect(scripts).toContain(palettes[0]);
    await page.keyboard.type('ros');
    await option(page, 'Prune the roses').waitFor();
    await option(page, 'Water the roses in this project').waitFor();
    expect(await option(page, 'Go to the inbox').count()).toBe(0);
    await expectUsable(page, 'palette-found');
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
  });

  it('goes where the palette says by keyboard alone, from a text field too', async () => {
    const page = await browser.open(ui);
    await page.getByRole('searchbox').focus();
    await page.keyboard.press('Meta+k');
    await page.keyboard.type('prune ros');
    await option(page, 'Prune the roses').waitFor();
    expect(await option(page, 'Prune the roses').getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Prune the roses' }).waitFor();
    await page.keyboard.press('Control+k');
    await option(page, 'Web shop').waitFor();
    await page.keyboard.type('web');
    await option(page, 'Garden').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new ta');
    await option(page, 'New task').waitFor();
    await page.keyboard.press('ArrowUp'); // from the first to the last
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
  });

  it('switches the project by mouse', async () => {
    const page = await browser.open(ui);
    await page.getByRole('button', { name: 'Switch project' }).click();
    await option(page, 'Garden').click();
    await page.getByRole('heading', { level: 1, name: 'Garden' }).waitFor();
  });

  it('searches texts of every kind, and keeps in the address what was asked', async () => {
    const client = await server.mcp();
    const attempt = await givenEndedAttempt(client, project_id, 'echo third time lucky');
    const page = await browser.open(`${server.url}/ui/search`);
    await page.getByRole('searchbox', { name: 'Search everywhere' }).fill('third');
    await page.getByRole('link', { name: 'Prune the roses' }).waitFor();
    await page.getByText('3 found').waitFor();
    await page.locator('mark', { hasText: 'third' }).first().waitFor();
    await page.getByRole('combobox', { name: 'Only kind' }).selectOption('Answers');
    await page.getByText('1 found').waitFor();
    await page.waitForURL(/\?q=third&kind=answer$/);
    const shared = await browser.open(page.url());
    await shared.getByText('1 found').waitFor();
    await shared.getByRole('link', { name: 'Say hello' }).click();
    await shared.waitForURL(new RegExp(`/a/${attempt.attempt_id as string}$`));
    await page.getByRole('searchbox', { name: 'Search everywhere' }).fill('nowhere');
    await page.getByText(/Nothing was found/).waitFor();
    await client.close();
  });

  it('shows the board as a list, with filters and a state that can be shared', async () => {
    const page = await browser.open(ui);
    await page.getByRole('combobox', { name: 'Shown as' }).selectOption('List');
    await page.getByRole('row', { name: /Sweep the yard To do/ }).waitFor();
    await page.getByRole('combobox', { name: 'Only tag' }).selectOption('dry');
    await page.getByRole('row', { name: /Water the roses/ }).waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'To do (1)' });
    await page.waitForURL(/view=list&tag=dry&status=todo|view=list&status=todo&tag=dry|tag=dry&view=list&status=todo/);
    const shared = await browser.open(page.url(), { viewport: { width: 390, height: 800 } });
    await shared.getByRole('row', { name: /Sweep the yard/ }).waitFor();
    expect(await shared.getByRole('row').count()).toBe(2);
  });

  it('has the open tasks of all projects as my work', async () => {
    const page = await browser.open(`${server.url}/ui/work`);
    await page.getByRole('link', { name: 'Prune the roses' }).waitFor();
    await page.getByRole('main').getByText('Garden').waitFor();
  });
});
