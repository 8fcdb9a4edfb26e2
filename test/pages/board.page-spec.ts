import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectUsable, violationsOn } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { createTestDatabase } from '../support/database.js';
import { onlyWith } from '../support/machine.js';
import { ServerProcess } from '../support/server-process.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('the page from an empty board on', () => {
  const server = TestServer.use();
  let board: string;

  it('asks who comes first for a repository, and leads to its board', async () => {
    const page = await browser.open(`${server.url}/`);
    await page.getByRole('textbox', { name: 'Repository' }).fill(server.repositories.repository('shop').dir);
    await expectUsable(page, 'first-visit');
    await page.getByRole('button', { name: 'Add repository' }).click();
    await page.getByRole('list', { name: 'Boards' }).getByRole('link').waitFor();
    await page.getByRole('button', { name: 'New task' }).waitFor();
    board = page.url();
  });

  it('needs no mouse from a new task to its merge', async () => {
    const page = await browser.open(board);
    const { keyboard } = page;
    await page.getByRole('button', { name: 'New task' }).waitFor();
    await keyboard.press('c');
    await keyboard.type('By keyboard alone');
    await keyboard.press('Tab');
    await keyboard.type('write keys.txt <<< keys\nsay Done');
    await tabTo(page, 'Start');
    await keyboard.press('Enter');
    await page.getByText('Completed', { exact: true }).waitFor();
    await tabTo(page, 'Conversation');
    await keyboard.press('ArrowRight');
    await keyboard.press('ArrowRight');
    await page.getByRole('group', { name: /keys\.txt/ }).waitFor();
    await keyboard.press('j');
    await tabTo(page, 'Comment');
    await keyboard.press('Enter');
    await keyboard.type('append keys.txt <<< more');
    await keyboard.press('Control+Enter');
    await page.getByText('append keys.txt <<< more').waitFor();
    await tabTo(page, /^Send comments/, 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: /Send comments/ }).waitFor({ state: 'detached' });
    await page.getByText('2 runs').waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    await tabTo(page, 'Changes', 'Shift+Tab');
    await keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'Ready to merge', exact: true }).waitFor();
    await tabTo(page, 'Merge');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Merge and update the checkout' }).waitFor();
    await tabTo(page, 'Merge and update the checkout');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Merged', exact: true }).waitFor();
    await keyboard.press('g');
    await keyboard.press('b');
    await page.getByRole('region', { name: 'Done' }).getByRole('link', { name: 'By keyboard alone' }).waitFor();
    browser.forgive(/status of 409/);
  });

  it('has the board live, by keyboard and by menu', async () => {
    const page = await browser.open(board);
    await page.getByRole('button', { name: 'New task' }).waitFor();
    const column = (name: string) => page.getByRole('region', { name });
    await page.keyboard.press('c');
    await page.getByRole('textbox', { name: 'Title' }).fill('Second task');
    await page.keyboard.press('Enter');
    const card = column('To do').getByRole('link', { name: 'Second task' });
    await card.waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Cancelled', exact: true }).press('Enter');
    await card.waitFor({ state: 'detached' });
    const second = column('Cancelled').getByRole('link', { name: 'Second task' });
    await second.waitFor();
    await column('Cancelled').getByRole('button', { name: 'Cancelled 1' }).click(); // folds what is over
    await second.waitFor({ state: 'detached' });
    const project_id = board.split('/').at(-1);
    await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'Made elsewhere' });
    await column('To do').getByRole('link', { name: 'Made elsewhere' }).waitFor();
    const path = `/api/projects/${project_id}/tasks`;
    const { task_id } = await server.rest.answers(201, 'POST', path, { title: 'By script', description: 'true' });
    await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, { executor: 'SHELL' });
    await column('In review').getByRole('link', { name: 'By script' }).waitFor();
    await page.getByRole('combobox', { name: 'Run by' }).waitFor();
    await page.getByRole('button', { name: 'New task' }).click();
    expect(await page.getByRole('combobox', { name: 'Executor' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('elsewhere');
    await column('Cancelled').getByText('0', { exact: true }).waitFor();
  });

  it('drags a card to another column', async () => {
    const page = await browser.open(board);
    const card = page.getByRole('region', { name: 'To do' }).getByRole('link', { name: 'Made elsewhere' });
    await card.dragTo(page.getByRole('region', { name: 'In review' }));
    await page.getByRole('region', { name: 'In review' }).getByRole('link', { name: 'Made elsewhere' }).waitFor();
  });

  it('switches its shortcuts off, and keys are dead in text fields', async () => {
    const page = await browser.open(board);
    await page.getByRole('button', { name: 'New task' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Title' }).pressSequentially('c?/j');
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('c?/j');
  });

  it('works in a seventh tab', async () => {
    const first = await browser.open(board);
    const tabs: Page[] = [first];
    while (tabs.length < 7) {
      const tab = await first.context().newPage();
      browser.watch(tab);
      await tab.goto(board);
      tabs.push(tab);
    }
    const project_id = board.split('/').at(-1);
    await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'Seen in every tab' });
    for (const tab of tabs) await tab.getByRole('link', { name: 'Seen in every tab' }).waitFor();
  });

  it('says so when it is cut off, keeps what was typed, and goes on', async () => {
    const page = await browser.open(board);
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Half a thought');
    await page.context().setOffline(true);
    await page
      .getByRole('status')
      .getByText(/Offline/)
      .waitFor();
    await page.context().setOffline(false);
    await page
      .getByRole('status')
      .getByText(/Offline/)
      .waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'New task' }).click();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Half a thought');
    browser.forgive(/ERR_INTERNET_DISCONNECTED/);
  });
});

/** Moves the focus key by key, as who has no mouse does. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const named = `(() => { const at = document.activeElement;
    return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim(); })()`;
  for (let presses = 0; presses < 80; presses += 1) {
    const focused = await page.evaluate<string>(named);
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`No ${String(name)} is reached by ${key}.`);
}

describePages('the page of a server that asks who calls', () => {
  const token = 'the-one-token-that-may-do-everything';
  const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: token });

  it('lets in who has a token, and out again', async () => {
    const page = await browser.open(`${server.url}/ui/executors`);
    await page.getByRole('textbox', { name: 'Token' }).fill('a-token-that-nobody-has-ever-made');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The server does not know this token.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Token' }).fill(token);
    expect(await page.evaluate(`getComputedStyle(document.activeElement).webkitTextSecurity`)).toBe('disc');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Executors' }).waitFor();
    expect(await page.evaluate<string>('document.cookie + JSON.stringify(localStorage)')).not.toContain(token);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    browser.forgive(/status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/); // its stream ends with the session
  });
});

onlyWith('chromium', 'bubblewrap').describe('S3: the link of the greeting', () => {
  it('signs its owner in once, and leaves no code in the address', async () => {
    const database = await createTestDatabase();
    const dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    const server = await ServerProcess.start({ DATABASE_URL: database.url, DATA_DIR: dataDir });
    const [, link = ''] = /Sign in +(\S+)/.exec(server.output) ?? [];
    const visit = async () => {
      const page = await browser.prepare('http://127.0.0.1:1'); // as nobody the server knows
      await page.goto(link);
      return page;
    };
    const page = await visit();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect([page.url(), await page.getByRole('button', { name: 'Sign out' }).count()]).toEqual([`${server.url}/ui`, 1]);
    const again = await visit();
    await again.getByRole('textbox', { name: 'Token' }).waitFor();
    browser.forgive(/status of 401/);
    for (const tab of [page, again]) await tab.close(); // before their streams end with the server
    await server.end();
    server.repositories.remove();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
});
