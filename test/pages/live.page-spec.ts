import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { givenProject, untilEnded, untilLine } from '../support/board.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const LINES = Array.from({ length: 60 }, (_, at) => `say - line ${at + 1}`).join('\n');
const HOSTILE = '<img src=x onerror=alert(1)> &lt;b&gt; [far](https://far.example/)';
const ANSWER = `**All** done, see [notes](notes.md), ${HOSTILE}`;
const STEPS = `plan look; write; test\nsay **Early**\nwrite a.txt <<< alpha\nrun exit 3\nsay ${ANSWER}`;
const WORK = `First line\n\n2\n3\n4\n5\n6\n7\n8\n${STEPS}`;
const NEAR_PX = 160;

describePages('an attempt, from its first line to what came of it', () => {
  const server = TestServer.use();
  let project_id: string;
  /** It has done all the work. */
  let over: string;
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
    over = await ended('DEMO', WORK);
  });

  async function given(executor: string, prompt: string, title = 'A task'): Promise<string> {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, { title });
    const body = { executor, prompt };
    const { attempt_id } = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, body);
    return attempt_id as string;
  }
  const ended = async (...of: Parameters<typeof given>) => {
    const attempt_id = await given(...of);
    await untilEnded(await server.mcp(), attempt_id);
    return attempt_id;
  };
  const open = (attempt_id: string, rest = ''): Promise<Page> =>
    browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}${rest}`);
  const below = (page: Page) =>
    page.evaluate<number>('document.documentElement.scrollHeight - innerHeight - Math.ceil(scrollY)');

  it('has an address for each of its tabs, and each is a step back', async () => {
    const page = await open(over);
    const at = () => new URL(page.url()).pathname.split('/').slice(6).join('/');
    for (const [tab, part] of [
      ['Raw log', 'log'],
      ['Changes', 'changes'],
      ['Delivery', 'delivery'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      await page.getByRole('tab', { name: tab }).click(); // is there already
      expect(at()).toBe(part);
    }
    for (const [tab, part] of [
      ['Changes', 'changes'],
      ['Raw log', 'log'],
      ['Conversation', ''],
    ] as const) {
      await page.goBack();
      await page.getByRole('tab', { name: tab, selected: true }).waitFor();
      expect(at()).toBe(part);
    }
    await page.goto(`${page.url()}#L1`); // as links to lines were before
    await page.reload();
    await page.locator('#L1').waitFor();
    expect(at()).toBe('log');
  });

  it('minds no scroll that is told of when another tab was chosen', async () => {
    const page = await open(over);
    await page.getByRole('tab', { name: 'Raw log' }).click();
    const log = await page.locator('.log').elementHandle();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.locator('.log').waitFor({ state: 'detached' });
    await log.dispatchEvent('scroll'); // a fault of the page fails every test
  });

  it('follows a conversation until one scrolls away, and leads back to its end', async () => {
    const held = server.gates.gate();
    const again = server.gates.gate();
    const page = await open(
      await given('DEMO', `${LINES}\nrun bash -c '${held.wait}'\n${LINES}\nrun bash -c '${again.wait}'`),
    );
    const last = page.locator('.markdown').getByText('line 60');
    await last.first().waitFor();
    await eventually('the end of the page', async () => (await below(page)) < NEAR_PX);
    await page.evaluate('scrollTo(0, 0)');
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    await jump.waitFor();
    held.open();
    await last.nth(1).waitFor();
    expect(await below(page)).toBeGreaterThan(NEAR_PX);
    await jump.click();
    await jump.waitFor({ state: 'detached' });
    await eventually('the end of the page', async () => (await below(page)) < NEAR_PX);
    again.open();
    await page.getByText('Completed', { exact: true }).waitFor();
  });

  it('ticks on its page and on its card while it runs', async () => {
    const held = server.gates.gate();
    const attempt_id = await given('DEMO', `write a.txt <<< alpha\nrun bash -c '${held.wait}'`, 'Ticks');
    const page = await open(attempt_id);
    const live = page.locator('.live');
    await live.getByText(/^\d+ s$/).waitFor();
    await live.getByText('+1').waitFor();
    await live.getByText(/Run/).waitFor();
    await page.getByRole('link', { name: 'Board' }).click();
    const card = page.getByRole('article').filter({ hasText: 'Ticks' });
    await card
      .locator('.live')
      .getByText(/^\d+ (s|min \d+ s)$/)
      .waitFor();
    held.open();
    await card.locator('.live').waitFor({ state: 'detached' });
  });

  it('begins with its final answer, its files and its next action once it has ended', async () => {
    const page = await open(over);
    const outcome = page.getByRole('region', { name: 'Outcome' });
    await outcome.locator('strong', { hasText: 'All' }).waitFor();
    await outcome.getByRole('list', { name: 'Changed files' }).getByText('web/a.txt').waitFor();
    expect(await page.locator('strong', { hasText: 'All' }).count()).toBe(1); // and not once more at the end
    expect(await outcome.getByRole('link', { name: 'notes' }).count()).toBe(0); // it would lead nowhere
    await outcome.getByText('<img src=x onerror=alert(1)> <b> far').waitFor(); // text, as the agent wrote it
    expect(await outcome.getByRole('link', { name: 'far' }).getAttribute('rel')).toContain('noopener');
    const prompt = page.locator('.user_message .prompt');
    expect(await prompt.innerText()).toMatch(/^First line\n2\n/); // no blank lines among the few
    await page.getByRole('button', { name: 'Show all of it' }).click();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    expect(await prompt.innerText()).toMatch(/^First line\n\n2\n/);
    const failed = page.locator('.tool_use.has-failed summary');
    expect(await failed.innerText()).toMatch(/Run\s+exit 3\s+failed/);
    await page.getByRole('link', { name: 'Review changes' }).click();
    await page.getByRole('tab', { name: 'Changes', selected: true }).waitFor();
    await page.getByRole('link', { name: 'Deliver the work' }).click();
    await page.getByRole('heading', { name: 'Ready to merge', exact: true }).waitFor();
  });

  it('shows a plan as boxes that are ticked', async () => {
    const page = await open(over);
    const plan = page.getByRole('list', { name: 'Plan' });
    await plan.getByRole('checkbox', { name: 'write' }).waitFor();
    expect(await plan.getByRole('checkbox').count()).toBe(3);
  });

  it('tells the line that tells why a run failed', async () => {
    const script = 'echo one; printf "\\033[31mError: no such table\\033[0m\\n" >&2; echo 1 failed; exit 3';
    const page = await open(await ended('SHELL', script));
    const notice = page.locator('.notice.bad');
    expect(await notice.locator('pre').innerText()).toBe('Error: no such table');
    await notice.getByText('The agent ended with exit code 3.').waitFor();
    await page.locator('.conversation').getByText('ended with exit code 3.').waitFor();
    await page.getByText('1 run', { exact: true }).click();
    await page.getByRole('row', { name: /ended with exit code 3/ }).waitFor();
    expect(await page.locator('main').innerText()).not.toContain('exit_code');
  });

  it('calls no failure what somebody has stopped', async () => {
    const attempt_id = await given('SHELL', 'echo ready; sleep 600');
    await untilLine(await server.mcp(), attempt_id, 'ready');
    const page = await open(attempt_id);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByText(/It was stopped\./).waitFor();
    expect(await page.locator('.notice.bad').count()).toBe(0);
  });
});
