import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, type Project, untilEnded } from '../support/board.js';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import type { Json } from '../support/mcp-client.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('what comes after a run', () => {
  const server = TestServer.use();
  let project: Project;
  beforeAll(async () => {
    project = await givenProject(server);
  });

  async function ended(body: object, title = 'Try'): Promise<{ page: Page; attempt_id: string }> {
    const { project_id } = project;
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title });
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, body);
    await untilEnded(await server.mcp(), attempt_id as string);
    const page = await browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}`);
    return { page, attempt_id: attempt_id as string };
  }
  const promptsOf = async (attempt_id: string) =>
    ((await server.rest.does('GET', `/api/attempts/${attempt_id}/messages`)).page.entries as Json[]).map(
      ({ prompt }) => prompt,
    );

  it('is the same prompt again, in the same attempt', async () => {
    const prompt = '[ -e been ] || { touch been; exit 3; }; echo second';
    const { page, attempt_id } = await ended({ executor: 'SHELL', prompt });
    await page.getByText('Failed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByText('2 runs', { exact: true }).waitFor();
    expect(await promptsOf(attempt_id)).toEqual([prompt, prompt]);
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  it('is another attempt on a branch of its own, from the branch that is chosen', async () => {
    project.repository.git('branch', 'stable');
    const { page } = await ended({ executor: 'SHELL', prompt: 'true' });
    await page.getByRole('button', { name: 'New attempt' }).click();
    const dialog = page.getByRole('dialog', { name: 'New attempt' });
    const branch = dialog.getByRole('textbox', { name: 'Base branch' });
    await dialog.getByPlaceholder('main', { exact: true }).waitFor();
    await dialog.getByRole('combobox', { name: 'Executor' }).selectOption('DEMO');
    await branch.fill('no such branch');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByRole('alert').waitFor();
    await expectUsable(page, 'new-attempt');
    await branch.fill('stable');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Delivery' }).click();
    await page.locator('.branches', { hasText: /→ stable/ }).waitFor();
    browser.forgive(/status of 40/);
  });

  it('is what was delivered, once all of it was', async () => {
    project.repository.git('checkout', '--quiet', '-B', 'elsewhere');
    const { page, attempt_id } = await ended({ executor: 'DEMO', prompt: 'write delivered.txt <<< yes' });
    await server.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/merge`, {});
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByText('All of this has been delivered.').waitFor();
    await page.locator('.file', { hasText: 'delivered.txt' }).waitFor();
  });

  it('goes on where the server has ended under an agent', async () => {
    const own = await TestServer.start();
    const { project_id } = await givenProject(own);
    const path = `/api/projects/${project_id}/tasks`;
    const { task_id } = await own.rest.answers(201, 'POST', path, { title: 'Long' });
    const body = { executor: 'DEMO', prompt: 'write half.txt <<< half\nsleep 600' };
    const { attempt_id } = await own.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, body);
    await eventually('half of it', async () => {
      const { summary } = await own.rest.does('GET', `/api/attempts/${attempt_id}/changes`);
      return (summary as Json).file_count === 1;
    });
    await own.restart();
    const page = await browser.open(`${own.url}/ui/p/${project_id}/a/${attempt_id}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByText('2 runs', { exact: true }).waitFor();
    await page.close(); // before its stream ends with the server
    await own.stop();
  });
});
