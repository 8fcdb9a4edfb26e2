import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenEndedAttempt, givenProject, givenTask } from '../support/board.js';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('what is typed', () => {
  const server = TestServer.use();
  let project_id: string;
  let attempt_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    attempt_id = (await givenEndedAttempt(await server.mcp(), project_id, 'true')).attempt_id as string;
  });

  const attempt = () => `${server.url}/ui/p/${project_id}/a/${attempt_id}`;
  const box = (page: Page) => page.getByRole('textbox', { name: 'Follow-up' });
  const turns = async () =>
    (await server.rest.answers(200, 'GET', `/api/attempts/${attempt_id}/messages`)).page.entries.length as number;

  it('is each tab’s own, outlives a reload, and the next tab takes over what a closed one left', async () => {
    const first = await browser.open(attempt());
    await box(first).fill('echo of the first');
    const second = await first.context().newPage();
    await second.goto(attempt());
    expect(await box(second).inputValue()).toBe('');
    await box(second).fill('echo of the second');
    for (const page of [first, second]) await page.reload();
    expect(await box(first).inputValue()).toBe('echo of the first');
    expect(await box(second).inputValue()).toBe('echo of the second');
    await first.close();
    await second.close();
    const third = await second.context().newPage();
    await third.goto(attempt());
    await eventually('the newest draft', async () => (await box(third).inputValue()) === 'echo of the second');
    await box(third).fill('');
    const fourth = await second.context().newPage();
    await fourth.goto(attempt());
    await eventually('the older draft', async () => (await box(fourth).inputValue()) === 'echo of the first');
  });

  it('is not lost with an answer, and done once when it is sent again after a reload', async () => {
    const before = await turns();
    const page = await browser.open(attempt());
    await box(page).fill('echo once');
    await page.route('**/follow-up', async (route) => {
      await route.fetch(); // it arrives, but the answer does not
      await route.abort();
    });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Nothing that you typed is lost.').waitFor();
    browser.forgive(/ERR_FAILED|Failed to load/);
    await page.unroute('**/follow-up');
    await page.reload();
    expect(await box(page).inputValue()).toBe('echo once');
    await page.getByRole('button', { name: /^(Send|Queue)$/ }).click();
    await eventually('the box to be empty', async () => (await box(page).inputValue()) === '');
    expect(await turns()).toBe(before + 1);
    browser.forgive(/status of 409/); // the run of the first may still be live
  });

  it('is another message once it was changed after its answer was lost', async () => {
    const before = await turns();
    const page = await browser.open(attempt());
    await box(page).fill('echo never heard of');
    await page.route('**/follow-up', (route) => route.abort());
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Nothing that you typed is lost.').waitFor();
    expect(await page.getByText(/tried again/).count()).toBe(0);
    await page.unroute('**/follow-up');
    await box(page).fill('echo changed');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Message sent').waitFor();
    expect(await turns()).toBe(before + 1);
    browser.forgive(/ERR_FAILED|Failed to load/);
  });

  it('stands beside what somebody else has saved meanwhile, to choose from', async () => {
    const task_id = await givenTask(await server.mcp(), project_id, 'As it was');
    const place = `/api/tasks/${task_id}`;
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    const description = page.getByRole('textbox', { name: 'Description' });
    const edit = async (text: string) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await description.fill(text);
    };
    await edit('Mine');
    await server.rest.answers(200, 'PUT', place, { status: 'inprogress' }); // no other text
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Mine', { exact: true }).waitFor();
    await edit('Mine again');
    await server.rest.answers(200, 'PUT', place, { description: 'Theirs' });
    await page.getByRole('button', { name: 'Save' }).click();
    const theirs = page.getByRole('alert', { name: 'Changed by somebody else' });
    await theirs.getByText('Theirs', { exact: true }).waitFor();
    expect(await description.inputValue()).toBe('Mine again');
    await expectUsable(page, 'changed-by-somebody-else');
    await page.getByRole('button', { name: 'Save mine instead' }).click();
    await page.getByText('Mine again', { exact: true }).waitFor();
    await edit('Given up');
    await server.rest.answers(200, 'PUT', place, { description: 'Theirs again' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    expect(await description.inputValue()).toBe('Theirs again');
    browser.forgive(/status of 409/);
  });

  it('is kept in every form until it is sent', async () => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}`);
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('A title');
    await page.getByRole('textbox', { name: 'Description' }).fill('A description');
    await page.reload();
    await page.getByRole('button', { name: 'New task' }).click();
    expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('A description');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('link', { name: 'A title' }).waitFor();
    await page.getByRole('button', { name: 'New task' }).click();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('');
  });
});
