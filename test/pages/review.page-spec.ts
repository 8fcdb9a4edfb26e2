import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject } from '../support/board.js';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import type { Json } from '../support/mcp-client.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
let project_id: string;

describePages('the review of an attempt', () => {
  const server = TestServer.use();
  beforeAll(async () => {
    ({ project_id } = await givenProject(server, { files: { 'a.txt': 'one\ntwo\nthree\n' } }));
  });

  async function givenChanges(): Promise<{ attempt_id: string; page: Page; open: () => Promise<Page> }> {
    const description = 'write a.txt <<< one\\nTWO\\nthree\\nfour';
    const { task_id } = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, {
      title: 'Change a line',
      description,
    });
    const attempt = await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, { executor: 'DEMO' });
    const attempt_id = attempt.attempt_id as string;
    const open = () => browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}/changes`);
    const page = await open();
    await page.getByText('Completed', { exact: true }).waitFor();
    await rowOf(page, 'four').waitFor();
    return { attempt_id, page, open };
  }
  const rowOf = (page: Page, text: string) =>
    page.locator('.diff-line').filter({ has: page.locator('.text', { hasText: new RegExp(`^${text}$`) }) });
  const numberOf = (page: Page, text: string) => rowOf(page, text).locator('.number').nth(1);
  const say = async (page: Page, text: string) => {
    await page.getByRole('textbox', { name: 'Comment' }).fill(text);
    await page.getByRole('button', { name: 'Add comment' }).click();
    await page.getByRole('textbox', { name: 'Comment' }).waitFor({ state: 'detached' });
  };
  const commentsOf = async (attempt_id: string) =>
    (await server.rest.does('GET', `/api/attempts/${attempt_id}/comments`)).comments as Json[];
  const badge = (page: Page, text: string) => page.locator('.badge').getByText(text, { exact: true });

  it('keeps comments for everybody, to be edited and deleted by their author, until they are answered', async () => {
    const { page, open } = await givenChanges();
    const other = await open();
    await numberOf(page, 'TWO').click();
    await say(page, 'Why so loud?');
    const there = other.getByRole('article', { name: /line 2/ });
    await there.getByText('Why so loud?').waitFor();
    await numberOf(page, 'four').click();
    await say(page, 'Away with it');
    await there.getByRole('button', { name: 'Edit' }).click();
    await other.getByRole('textbox', { name: 'Comment' }).fill('Why **so** loud?');
    await other.getByRole('button', { name: 'Save comment' }).click();
    await page.locator('.remark strong', { hasText: /^so$/ }).waitFor();
    await expectUsable(page, 'review');
    await page
      .getByRole('article', { name: /line 4/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    await other.getByText('Away with it').waitFor({ state: 'detached' });
    await other.getByRole('button', { name: 'Send comments', exact: true }).click();
    await badge(page, 'Answered').waitFor();
    await page.getByRole('button', { name: 'Send comments' }).waitFor({ state: 'detached' });
  });

  it('takes ranges by Shift, by drag and by keyboard, on either side', async () => {
    const { page, attempt_id } = await givenChanges();
    await numberOf(page, 'TWO').click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('kept');
    await numberOf(page, 'four').click({ modifiers: ['Shift'] });
    expect(await page.locator('.picked .text').allTextContents()).toEqual(['TWO', 'three', 'four']);
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('kept');
    await page.getByRole('textbox', { name: 'Comment' }).fill('');
    await page.getByRole('button', { name: 'Suggest a change' }).click();
    const suggestion = '```suggestion\nTWO\nthree\nfour\n```';
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe(suggestion);
    await say(page, suggestion);
    await rowOf(page, 'one').locator('.number').first().hover();
    await page.mouse.down();
    await rowOf(page, 'two').locator('.number').first().hover();
    await page.mouse.up();
    await say(page, 'As it was');
    await rowOf(page, 'three').getByRole('button', { name: 'Comment' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter'); // nothing is typed: nothing is added
    await rowOf(page, 'four').getByRole('button', { name: 'Comment' }).focus();
    await page.keyboard.press('Shift+Enter');
    await say(page, 'By keyboard');
    expect(await commentsOf(attempt_id)).toMatchObject([
      { side: 'new', line: 2, end_line: 4, lines: 'TWO\nthree\nfour', text: suggestion },
      { side: 'old', line: 1, end_line: 2, lines: 'one\ntwo', text: 'As it was' },
      { side: 'new', line: 3, end_line: 4, text: 'By keyboard' },
    ]);
  });

  it('shows what has changed since the last review, beside all changes', async () => {
    const { page } = await givenChanges();
    await numberOf(page, 'TWO').click();
    await say(page, 'Why so loud?');
    await page.getByRole('button', { name: 'Send comments', exact: true }).click();
    await badge(page, 'Answered').waitFor();
    await page.locator('.file', { hasText: 'AGENT_NOTES.md' }).waitFor();
    await page.getByRole('checkbox', { name: 'Since my last review' }).check();
    await page.locator('.file summary .path', { hasText: 'a.txt' }).waitFor({ state: 'detached' });
    expect(await page.locator('.file summary .path').allTextContents()).toEqual(['web/AGENT_NOTES.md']);
    await page.getByRole('checkbox', { name: 'Since my last review' }).uncheck();
    await rowOf(page, 'TWO').waitFor();
  });

  it('lets a maintainer delete what others said, and edit none of it', async () => {
    const { page, attempt_id } = await givenChanges();
    await server.rest.does('POST', '/api/workers', { handle: '@ann', name: '@ann', type: 'human', user_id: 'ann' });
    await server.rest.does('POST', `/api/projects/${project_id}/members`, { handle: '@ann', role: 'member' });
    const comment = { path: 'web/a.txt', side: 'new', line: 2, text: 'By somebody else' };
    await server.rest.as('ann').answers(201, 'POST', `/api/attempts/${attempt_id}/comments`, comment);
    const there = page.getByRole('article', { name: /Comment by @ann/ });
    await there.getByRole('button', { name: 'Delete' }).waitFor();
    expect(await there.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    await there.getByRole('button', { name: 'Delete' }).click();
    await there.waitFor({ state: 'detached' });
    expect(await commentsOf(attempt_id)).toEqual([]);
  });

  it('shows an outdated comment apart, with the lines it was made on', async () => {
    const { page } = await givenChanges();
    await numberOf(page, 'TWO').click();
    await say(page, 'Why so loud?');
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('write a.txt <<< one\\nwhispered\\nthree');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await badge(page, 'Outdated').waitFor();
    await page.locator('.remark pre', { hasText: 'TWO' }).waitFor();
    await rowOf(page, 'whispered').waitFor();
    await expectUsable(page, 'review-outdated');
  });

  it('keeps what is half written through a reload', async () => {
    const { page } = await givenChanges();
    await numberOf(page, 'TWO').click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('Half a thought');
    await page.reload();
    await numberOf(page, 'four').click();
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('Half a thought');
  });
});
