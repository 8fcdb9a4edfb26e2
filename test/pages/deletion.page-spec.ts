import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, givenTask } from '../support/board.js';
import { expectFitting, expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

/** Words of the controls that lie below something. */
const coveredBy = (page: Page, selector: string) =>
  page.evaluate<string[]>(`(() => {
    const over = document.querySelector('${selector}');
    const { left, right, top, bottom } = over.getBoundingClientRect();
    const isBelow = (control) => {
      const box = control.getBoundingClientRect();
      return box.width > 0 && box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    };
    const controls = [...document.querySelectorAll('a, button, input, select, textarea, summary')];
    return controls.filter((one) => !over.contains(one) && isBelow(one)).map((one) => one.textContent);
  })()`);

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
    await page.getByText('it can be restored for 24 hours').hover(); // it stays meanwhile
    await expectUsable(page, 'deleted');
    expect(await page.getByRole('link', { name: 'Deleted by mistake' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await title.waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.goto(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    await page.getByRole('button', { name: 'Restore' }).click();
    await title.waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('combobox', { name: 'Which tasks' }).selectOption('Deleted lately');
    await expectFitting(page, 'deleted lately');
    await page.getByRole('button', { name: 'Restore Deleted by mistake' }).click();
    await page.getByText('Nothing was deleted in the last 24 hours.').waitFor();
    await page.getByRole('combobox', { name: 'Which tasks' }).selectOption('On the board');
    await page.getByRole('link', { name: 'Deleted by mistake' }).first().waitFor();
    browser.forgive(/status of 404/);
  });

  it('is a move of a card', async () => {
    const task_id = await givenTask(await server.mcp(), project_id, 'true', 'Moved by mistake');
    const page = await browser.open(`${server.url}/ui/p/${project_id}`);
    await page.getByRole('button', { name: 'Move Moved by mistake' }).click();
    await page.getByRole('group', { name: 'Move Moved by mistake to' }).getByRole('button', { name: 'Done' }).click();
    await page.getByText('Moved by mistake moved to Done').waitFor();
    expect(await coveredBy(page, '.toast')).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.locator('.toast').hover(); // it stays meanwhile
    await expectUsable(page, 'moved');
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
