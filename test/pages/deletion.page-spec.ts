import { beforeAll, expect, it } from '@jest/globals';
import { givenProject, givenTask } from '../support/board.js';
import { describePages, expectUsable, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('a step that is taken back', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
  });

  it('is a deletion: at once, or at the address of the task', async () => {
    const task_id = await givenTask(await server.mcp(), project_id, 'true', 'Deleted by mistake');
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    const title = page.getByRole('heading', { level: 1, name: 'Deleted by mistake' });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('it can be restored for 24 hours').waitFor();
    await expectUsable(page, 'deleted');
    expect(await page.getByRole('link', { name: 'Deleted by mistake' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await title.waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.goto(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    await page.getByRole('button', { name: 'Restore' }).click();
    await title.waitFor();
    browser.forgive(/status of 404/);
  });

  it('is a move of a card', async () => {
    const task_id = await givenTask(await server.mcp(), project_id, 'true', 'Moved by mistake');
    const page = await browser.open(`${server.url}/ui/p/${project_id}`);
    await page.getByRole('button', { name: 'Move Moved by mistake' }).click();
    await page.getByRole('group', { name: 'Move Moved by mistake to' }).getByRole('button', { name: 'Done' }).click();
    await page.getByText('Moved by mistake moved to Done').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Moved by mistake moved to Done').waitFor({ state: 'detached' });
    expect(await server.rest.answers(200, 'GET', `/api/tasks/${task_id}`)).toMatchObject({ status: 'todo' });
  });

  it('is an archived task, which leaves the board and is found there by its filter', async () => {
    const task_id = await givenTask(await server.mcp(), project_id, 'true', 'Archived by mistake');
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('button', { name: 'Unarchive' }).waitFor();
    await expectUsable(page, 'archived');
    await page.goto(`${server.url}/ui/p/${project_id}`);
    const card = page.getByRole('link', { name: 'Archived by mistake' });
    await page.getByRole('link', { name: 'Moved by mistake' }).waitFor();
    expect(await card.count()).toBe(0);
    await page.getByRole('combobox', { name: 'Which tasks' }).selectOption('Archived');
    await card.waitFor();
    expect(await page.getByRole('link', { name: 'Moved by mistake' }).count()).toBe(0);
    await page.waitForURL(/archived=true/);
    await card.click();
    await page.getByRole('button', { name: 'Unarchive' }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
  });
});
