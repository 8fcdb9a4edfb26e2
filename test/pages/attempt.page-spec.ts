import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { gate, givenProject, untilEnded, untilLine } from '../support/board.js';
import { violationsOn } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
let project_id: string;

describePages('the page of an attempt', () => {
  const server = TestServer.use();
  beforeAll(async () => {
    ({ project_id } = await givenProject(server));
  });

  async function givenAttempt(executor: string, description: string, variant?: string): Promise<string> {
    const task = await server.rest.answers(201, 'POST', `/api/projects/${project_id}/tasks`, {
      title: `Task of ${executor}`,
      description,
    });
    const attempt = await server.rest.answers(201, 'POST', `/api/tasks/${task.task_id}/attempts`, {
      executor,
      variant,
    });
    return attempt.attempt_id as string;
  }
  const open = (attempt_id: string, rest = '', options = {}): Promise<Page> =>
    browser.open(`${server.url}/ui/p/${project_id}/a/${attempt_id}${rest}`, options);

  it('shows the conversation as it goes on, and lets the reader say what comes next', async () => {
    const held = gate(server);
    const script = `say **First**\nrun bash -c '${held.wait}'\nwrite notes.md <<< one\nsay Done`;
    const page = await open(await givenAttempt('DEMO', script));
    await page.getByText('Running', { exact: true }).waitFor();
    await page.locator('strong', { hasText: 'First' }).waitFor();
    held.open();
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('say And then this');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.markdown', { hasText: 'And then this' }).waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Follow-up' }).inputValue()).toBe('');
  });

  it('queues a message behind a run, takes it back, stops the run and forces what does not stop', async () => {
    const page = await open(await givenAttempt('SHELL', 'trap "" TERM INT; echo ready; while :; do sleep 0.1; done'));
    await page.getByRole('tab', { name: 'Raw log' }).click();
    await page.getByRole('log').getByText('ready', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('echo later');
    await page.getByRole('button', { name: 'Queue' }).click();
    await page.getByText('What is queued waits for the end of the run.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('What is queued waits for the end of the run.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const forced = page.waitForRequest((request) => /"force":true/.test(request.postData() ?? ''));
    await page.getByRole('button', { name: 'Force stop' }).click();
    await forced;
    await page.getByText('Stopped', { exact: true }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
  });

  it('shows what was printed line by line: in its colours, with a link to each line', async () => {
    const script = 'seq 1 1200; printf "\\033[1;31mred\\033[0m \\033]0;title\\007<b>x</b> &lt;\\n"';
    const page = await open(await givenAttempt('SHELL', script));
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Raw log' }).click();
    const last = page.locator('#L1201');
    await last.waitFor();
    expect(await last.locator('.text').innerHTML()).toBe(
      '<span class="bold f1">red</span> &lt;b&gt;x&lt;/b&gt; &amp;lt;',
    );
    expect(await last.locator('a').getAttribute('href')).toBe('#L1201');
    await page.goto(`${page.url()}#L500`);
    await page.reload();
    const fifth = page.locator('#L500');
    await fifth.waitFor();
    expect(await fifth.locator('.text').textContent()).toBe('500');
    await fifth.waitFor({ state: 'visible' });
    expect((await fifth.boundingBox())!.y).toBeLessThan(860);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
  });

  it('shows the changes, keeps what was viewed, and sends the comments as one message', async () => {
    const page = await open(await givenAttempt('DEMO', 'write a.txt <<< alpha\nwrite b.txt <<< beta'), '/changes');
    await page.getByText('Completed', { exact: true }).waitFor();
    const files = page.locator('.file');
    await files.nth(1).waitFor();
    await files.first().getByText('alpha').hover();
    await files.first().getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByRole('textbox', { name: 'Comment' }).fill('Why alpha?');
    await page.getByRole('button', { name: 'Add comment' }).click();
    await files.nth(1).getByRole('checkbox', { name: 'Viewed' }).check();
    await page.reload();
    await files.nth(1).waitFor();
    expect(await files.nth(1).getByRole('checkbox', { name: 'Viewed' }).isChecked()).toBe(true);
    await page.getByText('Why alpha?').waitFor();
    await page.getByRole('button', { name: 'Send comments', exact: true }).click();
    await page.getByRole('tab', { name: 'Conversation' }).click();
    await page.getByText(/"web\/a\.txt", line 1:\n> alpha\n>\n> Why alpha\?/).waitFor();
  });

  it.each([
    ['script', /assets\/main-/],
    ['stream of events', /api\/events/],
  ])('misses nothing that happens between its first reads and a late %s', async (_, late) => {
    const held = server.gates.gate();
    const attempt_id = await givenAttempt('SHELL', `echo begun; ${held.wait}; echo alpha > a.txt`);
    const agent = await server.mcp();
    await untilLine(agent, attempt_id, 'begun');
    const page = await browser.prepare(server.url);
    let letIn!: () => void;
    const isOver = new Promise<void>((resolve) => (letIn = resolve));
    await page.route(late, (route) => isOver.then(() => route.continue()));
    const firstRead = page.waitForResponse(/changes\?detail/).then((answer) => answer.json());
    await page.goto(`${server.url}/ui/p/${project_id}/a/${attempt_id}/changes`, { waitUntil: 'commit' });
    expect((await firstRead).summary.file_count).toBe(0);
    held.open();
    await untilEnded(agent, attempt_id);
    letIn();
    await page.locator('.file', { hasText: 'a.txt' }).waitFor();
    await page.getByText('Completed', { exact: true }).waitFor();
  });

  it('takes the mark of a viewed file away when the file changes', async () => {
    const page = await open(await givenAttempt('DEMO', 'write a.txt <<< alpha\nwrite b.txt <<< beta'), '/changes');
    await page.getByText('Completed', { exact: true }).waitFor();
    const mark = (name: string) => page.locator('.file', { hasText: name }).getByRole('checkbox', { name: 'Viewed' });
    await mark('a.txt').check();
    await mark('b.txt').check();
    await page.getByRole('textbox', { name: 'Follow-up' }).fill('append b.txt <<< gamma');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('2 runs').waitFor();
    await page.getByText('1 of 2 viewed').waitFor();
    expect([await mark('a.txt').isChecked(), await mark('b.txt').isChecked()]).toEqual([true, false]);
  });

  it('merges the work and takes it back', async () => {
    const page = await open(await givenAttempt('DEMO', 'write delivered.txt <<< yes'));
    await page.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Delivery' }).click();
    await page.getByRole('heading', { name: 'Ready to merge', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByRole('button', { name: 'Merge and update the checkout' }).click(); // the repository's own folder
    await page.getByRole('heading', { name: 'Merged', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await page.getByRole('heading', { name: 'Ready to merge', exact: true }).waitFor();
    browser.forgive(/status of 409/);
  });

  it('answers what the agent asks, on a telephone, and stops it there', async () => {
    const phone = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };
    const page = await open(await givenAttempt('DEMO', 'ask echo allowed > x\nsleep 60', 'APPROVALS'), '', phone);
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.tap();
    await approve.waitFor({ state: 'detached' });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: 'Stop', exact: true }).tap();
    await page.getByText('Stopped', { exact: true }).waitFor();
  });
});
