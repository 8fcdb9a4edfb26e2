import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { allRawLines, givenProject, untilEnded, untilLine } from '../support/board.js';
import { expectUsable, violationsOn } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import type { McpClient } from '../support/mcp-client.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();

describePages('messages behind a run', () => {
  const server = TestServer.use();
  let project_id: string;
  let agent: McpClient;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    agent = await server.mcp();
  });

  /** A run that waits, and the page of its attempt. */
  async function givenHeld(): Promise<{ page: Page; attempt_id: string; open: () => void }> {
    const held = server.gates.gate();
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, {
      title: 'Held',
      description: `echo begun; ${held.wait}`,
    });
    const started = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, {
      executor: 'SHELL',
    });
    const attempt_id = started.attempt_id as string;
    await untilLine(agent, attempt_id, 'begun');
    const page = await browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}`);
    return { page, attempt_id, open: held.open };
  }

  const queue = (page: Page) => page.getByRole('list', { name: 'Queued messages' });
  const message = (page: Page, text: string) => queue(page).getByRole('listitem').filter({ hasText: text });
  async function add(page: Page, text: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Follow-up' }).fill(text);
    await page.getByRole('button', { name: 'Queue', exact: true }).click();
    await message(page, text).waitFor();
  }

  it('are listed, changed and dropped, and the rest runs in order', async () => {
    const { page, attempt_id, open } = await givenHeld();
    await add(page, 'echo one');
    await add(page, 'echo two');
    await add(page, 'echo three');
    await expectUsable(page, 'queue');
    await message(page, 'echo one').getByRole('button', { name: 'Drop' }).click();
    await message(page, 'echo one').waitFor({ state: 'detached' });
    await message(page, 'echo three').getByRole('button', { name: 'Edit' }).click();
    await queue(page).getByRole('textbox', { name: 'Queued message' }).fill('echo 3');
    await page.reload(); // what was typed is still there
    expect(await queue(page).getByRole('textbox', { name: 'Queued message' }).inputValue()).toBe('echo 3');
    expect(await violationsOn(page)).toEqual([]);
    await queue(page).getByRole('button', { name: 'Save' }).click();
    await message(page, 'echo 3').getByRole('button', { name: 'Edit' }).waitFor();
    open();
    await untilEnded(agent, attempt_id);
    expect(await allRawLines(agent, attempt_id)).toEqual(['begun', 'two', '3']);
    await queue(page).waitFor({ state: 'detached' });
  });

  it('are sent now, whatever runs', async () => {
    const { page, attempt_id } = await givenHeld();
    await add(page, 'echo one');
    await add(page, 'echo two');
    await message(page, 'echo two').getByRole('button', { name: 'Send now' }).click();
    await queue(page).waitFor({ state: 'detached' });
    await untilEnded(agent, attempt_id);
    expect(await allRawLines(agent, attempt_id)).toEqual(['begun', 'two', 'one']);
  });

  it('come back into the box with a stop, and with new words that came too late', async () => {
    const { page, attempt_id, open } = await givenHeld();
    await add(page, 'echo one');
    await message(page, 'echo one').getByRole('button', { name: 'Edit' }).click();
    await queue(page).getByRole('textbox', { name: 'Queued message' }).fill('echo in other words');
    open();
    await queue(page).waitFor({ state: 'detached' });
    const box = page.getByRole('textbox', { name: 'Follow-up' });
    await page.waitForFunction(`document.querySelector('.follow-up textarea').value === 'echo in other words'`);
    await untilEnded(agent, attempt_id);
    const again = await givenHeld();
    await add(again.page, 'echo two');
    await again.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await again.page.getByText('Stopped', { exact: true }).waitFor();
    expect(await again.page.getByRole('textbox', { name: 'Follow-up' }).inputValue()).toBe('echo two');
    expect(await box.inputValue()).toBe('echo in other words');
  });
});
