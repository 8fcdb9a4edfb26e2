import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, untilEnded } from '../support/board.js';
import { expectFitting } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

/** An agent that does what it is told in the language of a shell, and is heard when it fails. */
const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-agent-'));
const EXECUTORS_FILE = path.join(folder, 'executors.json');
const told = { id: 'TOLD', command: 'sh', args: ['-c', '{prompt}'], protocol: 'plain', takes: 'prompt' };
writeFileSync(EXECUTORS_FILE, JSON.stringify({ executors: [told] }));
afterAll(() => rmSync(folder, { recursive: true }));
const OVERLOADED = 'echo "API Error: 529 overloaded" >&2; exit 1';

const started = async (server: TestServer, project_id: string, title: string, prompt: string) => {
  const { task_id } = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title });
  const body = { executor: 'TOLD', prompt };
  return (await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, body)).attempt_id as string;
};

describePages('checks', () => {
  const server = TestServer.use({ EXECUTORS_FILE });

  describe('of a project', () => {
    let project_id: string;
    let repo_id: string;
    beforeAll(async () => {
      ({ project_id, repo_id } = await givenProject(server, { name: 'Checked' }));
    });

    const at = () => `${server.url}/ui/p/${project_id}/settings/checks`;
    const readProject = () => server.rest.answers(200, 'GET', `/api/projects/${project_id}`);
    const readChecks = async () =>
      (await server.rest.answers(200, 'GET', `/api/projects/${project_id}/repos/${repo_id}/checks`)).checks as object[];
    const ofWeb = (page: Page) => page.getByRole('region', { name: 'Checks of web' });
    const names = (page: Page) => ofWeb(page).getByRole('heading', { level: 4 }).allTextContents();

    it('have a policy, whose draft outlives a reload', async () => {
      const page = await browser.open(at());
      const policy = page.getByRole('form', { name: 'Policy' });
      await policy.getByLabel('A delivery asks').selectOption('block');
      await policy.getByLabel('Checks run').selectOption('request');
      await page.reload();
      expect(await policy.getByLabel('A delivery asks').inputValue()).toBe('block');
      await policy.getByLabel('Failed checks go back to the agent').fill('4');
      await policy.getByLabel('A second agent reviews').selectOption('CODEX');
      await policy.getByLabel('Rounds').fill('2');
      await policy.getByRole('checkbox', { name: /a spent quota/ }).check();
      await policy.getByRole('checkbox', { name: /a lost runner/ }).uncheck();
      await policy.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Policy saved').waitFor();
      expect(await readProject()).toMatchObject({
        checks: 'block',
        check_on: 'request',
        fix_rounds: 4,
        review: { executor: 'CODEX', variant: null, rounds: 2 },
        retries: { transient: true, infra: false, quota: true },
      });
      await policy.getByLabel('A second agent reviews').selectOption('');
      await policy.getByRole('button', { name: 'Save' }).click();
      await eventually('no reviewer', async () => (await readProject()).review === null);
    });

    it('are added, ordered, changed and removed, and a refusal is said in words', async () => {
      const page = await browser.open(at());
      const web = ofWeb(page);
      await web.getByText('Nothing is checked here yet.').waitFor();
      const add = async (name: string, command: string) => {
        await web.getByRole('button', { name: 'Add a check to web' }).click();
        await page.getByRole('dialog').getByLabel('Name').fill(name);
        await page.getByRole('dialog').getByLabel('Command').fill(command);
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      };
      await add('lint', 'npm run lint');
      await web.getByRole('heading', { name: 'lint' }).waitFor();
      await add('lint', 'npm run lint again');
      await page.getByRole('dialog').getByRole('alert').waitFor(); // there is one of that name
      browser.forgive(/status of 4/);
      await page.getByRole('dialog').getByLabel('Name').fill('tests');
      await page.getByRole('dialog').getByLabel('Only where one of these was changed').fill('src/**\n\ntest/**\n');
      await page.getByRole('dialog').getByLabel('Seconds that it may take').fill('90');
      await page.getByRole('dialog').getByRole('checkbox', { name: 'required' }).uncheck();
      await page.getByRole('dialog').getByLabel('It reaches').selectOption('none');
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await web.getByText('not required · at most 1 min 30 s · no network · where src/**, test/** changed').waitFor();
      expect(await names(page)).toEqual(['lint', 'tests']);
      await web.getByRole('button', { name: 'Earlier: tests' }).click();
      await eventually('the other order', async () => (await names(page)).join() === 'tests,lint');
      expect(await web.getByRole('button', { name: 'Earlier: tests' }).isDisabled()).toBe(true);
      await web.getByRole('button', { name: 'Edit: lint' }).click();
      await page.getByRole('dialog').getByRole('checkbox', { name: 'run once more' }).check();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await web.getByText('run again where it fails').waitFor();
      const common = { paths: null, network: 'inherit', required: true };
      expect(await readChecks()).toMatchObject([
        {
          name: 'tests',
          command: 'npm run lint again',
          timeout_secs: 90,
          paths: ['src/**', 'test/**'],
          network: 'none',
        },
        { name: 'lint', command: 'npm run lint', timeout_secs: 600, rerun_on_failure: true, ...common },
      ]);
      await web.getByRole('button', { name: 'Remove: tests' }).click();
      await eventually('one check', async () => (await names(page)).join() === 'lint');
    });

    it('are shown to everybody in it, and changed by maintainers', async () => {
      await server.rest.answers(201, 'POST', `/api/projects/${project_id}/members`, { user_id: 'mel', role: 'member' });
      const token = { name: 'for mel', scopes: ['read', 'write', 'execute'], user_id: 'mel' };
      const made = await server.rest.answers(201, 'POST', '/api/tokens', token);
      const page = await browser.open(at(), {}, made.token as string);
      await page.getByText('Maintainers and owners of the project change checks; here you are member.').waitFor();
      await ofWeb(page).getByRole('heading', { name: 'lint' }).waitFor();
      expect(await page.getByLabel('A delivery asks').isDisabled()).toBe(true);
      expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    });
  });

  describe('of an attempt', () => {
    let project_id: string;
    let repo_id: string;
    beforeAll(async () => {
      ({ project_id, repo_id } = await givenProject(server, { name: 'Checked' }));
      await server.rest.answers(200, 'PUT', `/api/projects/${project_id}`, { checks: 'warn', fix_rounds: 0 });
    });

    const set = (...checks: object[]) =>
      server.rest.answers(200, 'PUT', `/api/projects/${project_id}/repos/${repo_id}/checks`, { checks });
    const open = (attempt_id: string) => browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}/checks`);
    const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 2, name }).waitFor();
    const check = (page: Page, name: string) =>
      page.getByRole('list', { name: 'Checks' }).getByRole('listitem', { name, exact: true });

    it('are followed while they run, and tell how each has ended', async () => {
      const held = server.gates.gate();
      await set(
        { name: 'tests', command: `echo looking; ${held.wait}; echo nothing good >&2; test -f good.txt` },
        { name: 'lint', command: 'exit 3', required: false },
        { name: 'build', command: 'true', paths: ['src/**'] },
      );
      const page = await open(await started(server, project_id, 'Red', 'echo a > a.txt'));
      await heading(page, 'Checks run');
      await check(page, 'tests').getByRole('log', { name: 'Log of tests' }).getByText('looking').waitFor();
      expect(await check(page, 'tests').getByText('nothing good').count()).toBe(0);
      held.open();
      await heading(page, 'Checks failed');
      await check(page, 'tests').getByRole('log').getByText('nothing good').waitFor();
      await check(page, 'tests')
        .getByText(/exit code 1 · /)
        .waitFor();
      await check(page, 'lint').getByText('not required').waitFor();
      await check(page, 'lint')
        .getByText(/exit code 3 · /)
        .waitFor();
      await check(page, 'build').getByText('skipped', { exact: true }).waitFor();
      await page.locator('.page-head').getByText('checks failed', { exact: true }).waitFor();
      await expectFitting(page, 'checks');
      await page.goto(`${server.url}/ui/p/${project_id}`);
      await page.getByRole('region', { name: 'In review' }).getByText('checks failed').waitFor();
      await page.goto(`${server.url}/ui/p/${project_id}?view=list`);
      await page.getByRole('row', { name: /Red/ }).getByText('checks failed').waitFor();
    });

    it('are run again by a press, and are stale until then', async () => {
      await set({ name: 'tests', command: 'true' });
      const page = await open(await started(server, project_id, 'Green', 'echo b > b.txt'));
      await heading(page, 'Checks passed');
      await set({ name: 'tests', command: 'test -f b.txt' });
      await page.reload();
      await heading(page, /^Checks are stale/);
      await page.getByRole('button', { name: 'Run checks' }).click();
      await heading(page, 'Checks passed');
      await page.reload();
      await check(page, 'tests').getByText('Log').click();
      await check(page, 'tests').getByText('Nothing was printed yet.').waitFor();
    });

    it('stand beside what is sent by itself, which can be stopped', async () => {
      const page = await open(await started(server, project_id, 'Overloaded', OVERLOADED));
      const due = page.getByRole('list', { name: 'Sent by itself' });
      await due.getByText('Another try, after a failure that passes by itself, round 1').waitFor();
      await due.getByText('due', { exact: true }).waitFor();
      await expectFitting(page, 'due');
      await due.getByRole('button', { name: /^Stop/ }).click();
      await due.getByText('dropped').waitFor();
      expect(await due.getByRole('button').count()).toBe(0);
    });
  });

  describe('that refuse a delivery', () => {
    it('says what is missing, and lands with a reason', async () => {
      const { project_id, repo_id, repository } = await givenProject(server);
      repository.git('checkout', '--quiet', '-b', 'elsewhere');
      const policy = { checks: 'block', check_on: 'request', fix_rounds: 0 };
      await server.rest.answers(200, 'PUT', `/api/projects/${project_id}`, policy);
      const checks = [{ name: 'tests', command: 'test -f good.txt' }];
      await server.rest.answers(200, 'PUT', `/api/projects/${project_id}/repos/${repo_id}/checks`, { checks });
      const attempt_id = await started(server, project_id, 'Unproved', 'echo a > a.txt');
      await untilEnded(await server.mcp(), attempt_id);
      const page = await browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}/delivery`);
      const missing = page.getByRole('list', { name: 'What is missing' });
      const merge = page.getByRole('button', { name: 'Merge', exact: true });
      await merge.click();
      await missing.getByText('Have not run: tests').waitFor();
      browser.forgive(/status of 409/);
      await page.getByRole('button', { name: 'Run checks' }).click();
      await page.getByRole('main').getByText('checks failed').waitFor();
      await merge.click();
      await missing.getByText('Have failed: tests').waitFor();
      await expectFitting(page, 'refused');
      browser.forgive(/status of 409/);
      await page.getByRole('button', { name: 'Deliver anyway…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Deliver without the checks' });
      await dialog.getByLabel('Why?').fill('The service is down.');
      await page.reload(); // what is typed stays
      await merge.click();
      await page.getByRole('button', { name: 'Deliver anyway…' }).click();
      browser.forgive(/status of 409/);
      expect(await dialog.getByLabel('Why?').inputValue()).toBe('The service is down.');
      await expectFitting(page, 'override');
      await dialog.getByRole('button', { name: 'Deliver anyway' }).click();
      await page.getByRole('heading', { level: 2, name: 'Merged', exact: true }).waitFor();
      expect(repository.git('show', 'main:a.txt')).toBe('a');
      const { entries } = await server.rest.answers(200, 'GET', `/api/projects/${project_id}/audit`);
      expect(JSON.stringify(entries)).toContain('The service is down.');
    });
  });
});

describePages('what was tried in vain', () => {
  const server = TestServer.use({ EXECUTORS_FILE, RETRY_DELAY_SECS: '0' });

  it('waits in the inbox for a person', async () => {
    const { project_id } = await givenProject(server);
    await started(server, project_id, 'Given up', OVERLOADED);
    const page = await browser.open(`${server.url}/ui/inbox`);
    const entry = page.locator('section', { hasText: 'Tried in vain' }).getByRole('listitem');
    await entry.getByRole('link', { name: 'Given up' }).waitFor();
    await entry.getByText(/^3 retries/).waitFor();
  });
});
