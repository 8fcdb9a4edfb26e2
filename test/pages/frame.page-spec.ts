import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, untilEnded } from '../support/board.js';
import { describePages, PageBrowser, violationsOn } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const WIDTHS = [320, 390, 768, 1440];
const FIRST_VIEW_KIB = 60;
const IN_ALL_KIB = 140;
const ASSETS = path.join(import.meta.dirname, '../../dist/src/pages/client/assets');

describePages('what stands around every view', () => {
  const server = TestServer.use();
  let project_id: string;
  let task_id: string;
  let attempt_id: string;
  const start = async (title: string, body: object) => {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title });
    const attempt = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, body);
    return { task_id: task.task_id as string, attempt_id: attempt.attempt_id as string };
  };

  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    const prompt = [
      'plan look; write; test',
      'write a.txt <<< alpha',
      'write src/b.ts <<< export const b = 1;',
      'run exit 3',
      'say All **done**.',
    ].join('\n');
    ({ task_id, attempt_id } = await start('Read `config` and **write** it', { executor: 'DEMO', prompt }));
    await untilEnded(await server.mcp(), attempt_id);
  });

  const views = (): [string, string][] => [
    ['board', `/p/${project_id}`],
    ['task', `/p/${project_id}/t/${task_id}`],
    ['conversation', `/p/${project_id}/a/${attempt_id}`],
    ['log', `/p/${project_id}/a/${attempt_id}/log`],
    ['changes', `/p/${project_id}/a/${attempt_id}/changes`],
    ['delivery', `/p/${project_id}/a/${attempt_id}/delivery`],
    ...['inbox', 'my-work', 'projects', 'executors', 'throughput'].map(
      (name) => [name, `/${name}`] as [string, string],
    ),
    ['nowhere', '/nothing/here'],
  ];
  const settle = async (page: Page) => {
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('Loading…').waitFor({ state: 'detached' });
    await page.waitForLoadState('load');
  };

  it.each(WIDTHS)('is free of violations in every view at %d px, in light and in dark', async (width) => {
    const page = await browser.open(`${server.url}/ui`, { viewport: { width, height: 900 } });
    for (const [name, address] of views()) {
      await page.goto(`${server.url}/ui${address}`);
      await settle(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([name, colorScheme, await violationsOn(page)]).toEqual([name, colorScheme, []]);
      }
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([name, Math.max(overflow, 0)]).toEqual([name, 0]);
    }
  });

  it('leads from the rail to every view, and says where one is', async () => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}`, { viewport: { width: 1440, height: 900 } });
    const rail = page.getByRole('navigation', { name: 'Main' });
    for (const name of ['Inbox', 'My work', 'Projects', 'Executors', 'Throughput']) {
      await rail.getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect(await rail.getByRole('link', { name }).getAttribute('aria-current')).toBe('page');
    }
    await rail.getByRole('list', { name: 'Boards' }).getByRole('link', { name: 'Web shop' }).click();
    await page.getByRole('region', { name: 'To do' }).waitFor();
  });

  it('counts what waits for an answer in the title and the icon of the tab', async () => {
    const page = await browser.open(`${server.url}/ui/my-work`);
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor();
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    expect([await page.title(), await icon()]).toEqual(['My work · Taskyard', expect.stringMatching(/mark-.*\.svg$/)]);
    const asking = { executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo allowed' };
    const { attempt_id: asks } = await start('Asks', asking);
    await eventually('the count', async () => (await page.title()) === '(1) My work · Taskyard');
    expect(await icon()).toMatch(/^data:image\/svg/);
    const { approvals } = await server.rest.answers(200, 'GET', `/api/approvals?status=pending&attempt_id=${asks}`);
    const answer = { decision: 'approve' };
    await server.rest.answers(200, 'POST', `/api/approvals/${approvals[0].approval_id}/answer`, answer);
    await eventually('the end of the count', async () => (await page.title()) === 'My work · Taskyard');
    await untilEnded(await server.mcp(), asks);
  });

  it('loads the code of a view when it is shown', async () => {
    const page = await browser.prepare(`${server.url}/ui`);
    const scripts = new Set<string>();
    page.on('request', (request) => {
      const [, name] = /\/assets\/(.*\.js)$/.exec(request.url()) ?? [];
      if (name) scripts.add(name);
    });
    const bytesOf = (name: string) => gzipSync(readFileSync(path.join(ASSETS, name))).length;
    const kib = () => [...scripts].reduce((sum, name) => sum + bytesOf(name), 0) / 1_024;
    await page.goto(`${server.url}/ui/p/${project_id}`);
    await page.getByRole('region', { name: 'In review' }).getByRole('link').first().waitFor();
    expect(kib()).toBeLessThan(FIRST_VIEW_KIB);
    for (const [, address] of views()) {
      await page.goto(`${server.url}/ui${address}`);
      await settle(page);
    }
    expect(kib()).toBeLessThan(IN_ALL_KIB);
  });

  it('moves nothing where nobody wants that', async () => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}`, { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'New task' }).click();
    const moves = `[...document.querySelectorAll('*')].flatMap((one) => {
      const { animationName, animationDuration, transitionDuration } = getComputedStyle(one);
      const moving = animationName === 'none' ? [transitionDuration] : [animationDuration, transitionDuration];
      return moving.flatMap((times) => times.split(', ')).filter((time) => parseFloat(time) > 0);
    })`;
    expect(await page.evaluate(moves)).toEqual([]);
  });
});
