import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from '@jest/globals';
import { givenProject, untilEnded } from '../support/board.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const FIRST_VIEW_KIB = 60;
const IN_ALL_KIB = 140;
/** Of those a reader gets one for each language of a diff. */
const GRAMMAR_KIB = 5;
const ASSETS = path.join(import.meta.dirname, '../../dist/src/pages/client/assets');
const GRAMMARS = path.join(import.meta.dirname, '../../node_modules/highlight.js/es/languages');
const isGrammar = (name: string) => existsSync(path.join(GRAMMARS, name.replace(/-\w+\.js$/, '.js')));
const kibOf = (scripts: Iterable<string>) =>
  [...scripts].reduce((sum, name) => sum + gzipSync(readFileSync(path.join(ASSETS, name))).length, 0) / 1_024;

describePages('what stands around every view', () => {
  const server = TestServer.use();
  let project_id: string;
  const start = async (title: string, body: object) => {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title });
    const attempt = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, body);
    return attempt.attempt_id as string;
  };

  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    const attempt_id = await start('Read `config`', { executor: 'DEMO', prompt: 'write a.txt <<< alpha' });
    await untilEnded(await server.mcp(), attempt_id);
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
    await page.getByRole('heading', { level: 1, name: 'Web shop' }).waitFor();
    expect(await page.locator('.who > :last-child').innerText()).toBe('owner'); // by name and by role
  });

  it('counts what waits for an answer in the title and the icon of the tab', async () => {
    const page = await browser.open(`${server.url}/ui/work`);
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor();
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    expect([await page.title(), await icon()]).toEqual(['My work · Taskyard', expect.stringMatching(/mark-.*\.svg$/)]);
    const asking = { executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo allowed' };
    const asks = await start('Asks', asking);
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
    const loaded = new Set<string>();
    page.on('request', (request) => {
      const [, name] = /\/assets\/(.*\.js)$/.exec(request.url()) ?? [];
      if (name) loaded.add(name);
    });
    await page.goto(`${server.url}/ui/p/${project_id}`);
    await page.getByRole('region', { name: 'In review' }).getByRole('link').first().waitFor();
    await page.getByRole('list', { name: 'Boards' }).waitFor();
    expect(kibOf(loaded)).toBeLessThan(FIRST_VIEW_KIB);
    const scripts = readdirSync(ASSETS).filter((name) => name.endsWith('.js'));
    expect(kibOf(scripts)).toBeLessThan(IN_ALL_KIB);
    const grammars = scripts.filter(isGrammar);
    expect(grammars.length).toBeGreaterThan(10);
    expect(grammars.filter((name) => kibOf([name]) > GRAMMAR_KIB)).toEqual([]);
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
