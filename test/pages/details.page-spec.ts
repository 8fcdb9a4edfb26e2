import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, untilEnded } from '../support/board.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('what a first look stumbles over', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server, { files: { 'old.txt': 'one\ntwo\nthree\n' } }));
  });

  async function ended(prompt: string, rest = '', executor = 'SHELL'): Promise<Page> {
    const path = `/api/projects/${project_id}/tasks`;
    const { task_id } = await server.rest.answers(201, 'POST', path, { title: 'Details' });
    const body = { executor, prompt };
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, body);
    await untilEnded(await server.mcp(), attempt_id as string);
    return browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}${rest}`);
  }

  it('is no last line of a log behind the box for the next message', async () => {
    const page = await ended('seq 1 400', '/log');
    const last = page.locator('#L400');
    await last.waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const [line, dock] = [await last.boundingBox(), await page.locator('.dock').boundingBox()];
    expect(line!.y + line!.height).toBeLessThanOrEqual(dock!.y);
  });

  it('is no renamed file that is called binary', async () => {
    const page = await ended('git mv old.txt new.txt', '/changes');
    await page.getByText('Renamed from web/old.txt, and not changed.').waitFor();
  });

  it('is no sign of the comment button that a font may lack, and none that cannot be read', async () => {
    const page = await ended('echo four >> old.txt', '/changes');
    await page.locator('.diff-line.added').getByRole('button', { name: 'Comment' }).hover();
    const sign = `document.querySelector('.diff-line.added .comment')`;
    expect(await page.evaluate(`getComputedStyle(${sign}, '::before').content`)).toBe('"+"');
    const style = `getComputedStyle(${sign})`;
    const [colour, ground] = await page.evaluate<[string, string]>(`[${style}.color, ${style}.backgroundColor]`);
    expect(colour).not.toBe(ground);
  });

  it('is no link that leads nowhere, and no address without a way on', async () => {
    const page = await ended('say See [the guide](docs/guide.md) and [the site](https://example.org/).', '', 'DEMO');
    const answer = page.getByRole('region', { name: 'Outcome' });
    await answer.getByRole('link', { name: 'the site' }).waitFor();
    await answer.getByText('the guide').waitFor();
    expect(await answer.getByRole('link').allTextContents()).toEqual(['the site']);
    await page.goto(`${server.url}/ui/no/such/place`);
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'To the board' }).click();
    await page.getByRole('region', { name: 'To do' }).waitFor();
  });

  it('is no list that ends without a word', async () => {
    const page = await ended('true');
    const path = /\/t\/(.*)$/.exec(
      (await page.getByRole('link', { name: 'Task', exact: true }).getAttribute('href'))!,
    )!;
    const body = { executor: 'SHELL', prompt: 'true' };
    await server.rest.answers(201, 'POST', `/api/tasks/${path[1]}/attempts`, body);
    await page.route(/\/attempts(\?cursor=\d+)?$/, (route) => {
      const url = route.request().url(); // pages of one, in place of fifty
      return route.continue({ url: `${url}${url.includes('?') ? '&' : '?'}limit=1` });
    });
    await page.getByRole('link', { name: 'Task', exact: true }).click();
    const attempts = page.locator('.card.row code');
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await attempts.nth(1).waitFor();
    await page.getByRole('button', { name: 'Show older ones' }).waitFor({ state: 'detached' });
    expect(await attempts.count()).toBe(2);
  });

  it('is no escape of a terminal in the conversation', async () => {
    const page = await ended('printf "\\033[31mred\\033[0m\\n"; exit 3');
    await page.getByText('Failed', { exact: true }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('\u001b');
  });
});
