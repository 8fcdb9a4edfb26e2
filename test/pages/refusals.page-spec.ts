import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { givenProject } from '../support/board.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('a refusal on the page', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
  });

  it('tells people what to do, and programs what to call', async () => {
    const { task_id } = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: 'Whole' });
    await server.rest.answers(201, 'POST', `/api/tasks/${task_id}/subtasks`, { title: 'Part' });
    const page = await browser.open(`${server.url}/ui/p/${project_id}/t/${task_id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    expect(await page.getByRole('alert').innerText()).toMatch(/subtasks\n+Delete its subtasks first\.$/);
    const { hint } = await server.rest.answers(404, 'GET', `/api/tasks/${randomUUID()}`);
    expect(hint).toMatch(/^Call GET \/api\//);
    browser.forgive(/status of 409/);
  });

  it.each([
    ['attempt', '/a/', 'Its task may have been deleted; look for it on the board.'],
    ['task', '/t/', 'It may have been deleted.'],
  ])('leads on from an %s that is not there', async (_, part, words) => {
    const page = await browser.open(`${server.url}/ui/p/${project_id}${part}${randomUUID()}`);
    await page.getByText(words).waitFor();
    await page.getByRole('link', { name: 'To the board' }).click();
    await page.getByRole('region', { name: 'To do' }).waitFor();
    browser.forgive(/status of 404/);
  });

  it('says what is wrong with a repository', async () => {
    const page = await browser.open(`${server.url}/ui/projects`);
    await page.getByRole('textbox', { name: 'Repository', exact: true }).fill('/nowhere/at/all');
    await page.getByRole('button', { name: 'Add repository' }).click();
    await page.getByText('Give the whole path of a git repository on this server').waitFor();
    browser.forgive(/status of 400/);
  });
});
