import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject } from '../support/board.js';
import { expectUsable } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('the answer to an agent', () => {
  const server = TestServer.use();
  let project_id: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
  });

  async function openAsking(command: string): Promise<Page> {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title: command });
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, {
      executor: 'DEMO',
      variant: 'APPROVALS',
      prompt: `ask ${command}`,
    });
    return browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}`);
  }

  it('is a denial with its reason, which the agent reads', async () => {
    const page = await openAsking('echo denied');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByRole('textbox', { name: 'Why not?' }).fill('Use the test database.');
    await page.reload();
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    expect(await page.getByRole('textbox', { name: 'Why not?' }).inputValue()).toBe('Use the test database.');
    await expectUsable(page, 'denial');
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByText('Failed', { exact: true }).waitFor(); // it was allowed nothing
    const { approvals } = await server.rest.answers(200, 'GET', '/api/approvals?status=denied');
    expect(approvals).toEqual([expect.objectContaining({ reason: 'Use the test database.' })]);
  });

  it('is given once for all equal requests of the project', async () => {
    const first = await openAsking('echo same');
    await first.getByRole('button', { name: 'Always approve this here' }).click();
    await first.getByText('Completed', { exact: true }).waitFor();
    const second = await openAsking('echo same');
    await second.getByText('Completed', { exact: true }).waitFor();
    expect(await second.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('is asked for in the inbox with its task and its project, and leads to them', async () => {
    await openAsking('echo whose');
    const page = await browser.open(`${server.url}/ui/inbox`);
    const question = page.getByRole('article').filter({ hasText: 'echo whose' });
    await question.getByText(/^Web shop · /).waitFor();
    await expectUsable(page, 'inbox-question');
    await question.getByRole('link', { name: 'echo whose' }).click();
    await page.getByRole('heading', { level: 1, name: 'echo whose' }).waitFor();
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
  });
});
