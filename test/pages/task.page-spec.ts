import { beforeAll, expect, it } from '@jest/globals';
import { givenProject, type Project } from '../support/board.js';
import { expectUsable, violationsOn } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('the pages of tasks, of what waits, and of repositories', () => {
  const server = TestServer.use();
  let project_id: string;
  let repository: Project['repository'];
  beforeAll(async () => {
    ({ project_id, repository } = await givenProject(server));
  });

  it('shows the parts of a task, and lets its words be changed', async () => {
    const made = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'Whole' });
    await server.rest.answers(201, 'POST', `/api/tasks/${made.task_id}/subtasks`, { title: 'A part of it' });
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${made.task_id}`);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Whole, in other words');
    await page.getByRole('textbox', { name: 'Description' }).fill('With *weight*.');
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Whole, in other words' }).waitFor();
    await page.locator('em', { hasText: 'weight' }).waitFor();
    await page.getByRole('link', { name: 'A part of it' }).click();
    await page.getByRole('heading', { level: 1, name: 'A part of it' }).waitFor();
    await page.getByRole('link', { name: 'Parent task' }).click();
    await page.getByRole('heading', { level: 1, name: 'Whole, in other words' }).waitFor();
  });

  it('says in the inbox why a run failed and what helps', async () => {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'Breaks' });
    await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, {
      executor: 'SHELL',
      prompt: 'exit 3',
    });
    const page = await browser.open(`${server.url}/ui/inbox`);
    const failed = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Breaks' }) });
    await failed.getByText('The run ended with exit code 3.').waitFor();
    await failed.getByText(/follow-up/).waitFor();
    await expectUsable(page, 'inbox-failed');
  });

  it('shows the repositories of a project, and takes another one', async () => {
    const other = server.repositories.repository('second');
    const page = await browser.open(`${server.url}/ui/projects`);
    await page.getByText('Repositories').first().click();
    await page.getByText(repository.dir).waitFor();
    await page.getByRole('textbox', { name: 'Path or URL' }).fill(other.dir);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(other.dir).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('sets a secret of a project, shows it by name and removes it', async () => {
    const page = await browser.open(`${server.url}/ui/projects`);
    await page.getByText('Secrets').first().click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('NPM_TOKEN');
    await page.getByLabel('Value', { exact: true }).fill('a value for nobody');
    await page.getByRole('checkbox', { name: 'checks' }).uncheck();
    await page.getByRole('checkbox', { name: 'agent' }).check();
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.getByText('for setup, agent').waitFor();
    expect(await page.content()).not.toContain('a value for nobody');
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('');
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove NPM_TOKEN' }).click();
    await page.getByText('NPM_TOKEN').waitFor({ state: 'detached' });
  });
});
