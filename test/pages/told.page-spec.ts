import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { gate, givenProject, givenTask } from '../support/board.js';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

/** Keeps what the page would have the browser show. */
const KEEP_NOTIFICATIONS = `
window.shown = [];
window.Notification = class {
  static permission = 'granted';
  static requestPermission = () => Promise.resolve('granted');
  constructor(title, { body, tag }) { window.shown.push([title, body, tag]); }
  close() {}
};`;
const shown = (page: Page) => page.evaluate<string[][]>('window.shown');

describePages('being told', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
  });

  it('is a watched run that ends: in the inbox, in the title, and by the browser', async () => {
    const { wait, open } = gate(server);
    const task_id = await givenTask(await server.mcp(), project_id, wait, 'Takes its time');
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, {
      executor: 'SHELL',
    });
    const page = await browser.prepare(server.url);
    await page.addInitScript(KEEP_NOTIFICATIONS);
    await page.goto(`${server.url}/ui/p/${project_id}/a/${attempt_id}`);
    await page.getByRole('button', { name: 'Tell me when it is done' }).click();
    await page.getByRole('button', { name: 'Stop telling me' }).waitFor();
    await page.getByRole('link', { name: 'Task', exact: true }).click();
    await page.getByRole('button', { name: 'Stop telling me' }).waitFor();
    open();
    await eventually('the count', async () => (await page.title()).startsWith('(1) '));
    expect(await shown(page)).toEqual([['Done', 'Takes its time · Web shop', expect.any(String)]]);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' }).click();
    const entry = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Stop telling me' }) });
    await entry.getByText('Completed').waitFor();
    await entry.getByText('Web shop · SHELL').waitFor();
    await entry.getByText('new', { exact: true }).waitFor();
    await expectUsable(page, 'told');
    await page.getByRole('button', { name: 'Mark all read' }).click();
    await entry.getByText('new', { exact: true }).waitFor({ state: 'detached' });
    await eventually('the end of the count', async () => (await page.title()) === 'Inbox · Taskyard');
    await page.reload();
    await entry.waitFor();
    expect(await page.title()).toBe('Inbox · Taskyard');
    await entry.getByRole('button', { name: 'Stop telling me' }).click();
    await entry.waitFor({ state: 'detached' });
  });

  it('is a question that says whose it is and is answered in place', async () => {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'May it?' });
    const start = { executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo allowed' };
    await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, start);
    const page = await browser.open(`${server.url}/ui/inbox`);
    const question = page.getByRole('article');
    await question.getByRole('link', { name: 'May it?' }).waitFor();
    await question.getByText('Web shop · DEMO').waitFor();
    await question.getByRole('button', { name: 'Always approve this here' }).waitFor();
    await expectUsable(page, 'asked');
    await question.getByRole('button', { name: 'Approve', exact: true }).click();
    await question.waitFor({ state: 'detached' });
  });

  it('is a card that says of a stopped run that it was stopped', async () => {
    const { wait } = gate(server);
    const task_id = await givenTask(await server.mcp(), project_id, wait, 'Halted');
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, {
      executor: 'SHELL',
    });
    const page = await browser.open(`${server.url}/ui/p/${project_id}`);
    const card = page.getByRole('article').filter({ has: page.getByRole('link', { name: 'Halted' }) });
    await card.getByText('Running').waitFor();
    await server.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/stop`, {});
    await card.getByText('Stopped', { exact: true }).waitFor();
    expect(await card.getByText('Failed').count()).toBe(0);
  });
});
