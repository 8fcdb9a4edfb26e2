import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectUsable, violationsOn } from '../support/barriers.js';
import { describePages, PageBrowser } from '../support/browser.js';
import { givenWorktree, moveMain } from '../support/delivery-ground.js';
import { eventually } from '../support/eventually.js';
import { ForgeGround } from '../support/forge/forge-ground.js';

const browser = PageBrowser.use();

describePages('the delivery of an attempt', () => {
  const ground = ForgeGround.use('github');

  async function open({ project_id, attempt_id }: { project_id: string; attempt_id: string }): Promise<Page> {
    const page = await browser.open(`${ground.board.server.url}/ui/p/${project_id}/a/${attempt_id}`);
    await page.getByRole('tab', { name: 'Delivery' }).click();
    await page.locator('.delivery h2').waitFor();
    return page;
  }
  const demo = { executor: 'DEMO' };
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });

  it('pushes, opens a pull request, gives comments of reviewers to the agent, and merges it', async () => {
    const place = await ground.attempt('DEMO');
    const page = await open(place);
    await page.getByRole('button', { name: 'Push' }).click();
    await heading(page, 'Pushed').waitFor();
    await page.getByRole('button', { name: 'Open pull request…' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('New file');
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Open pull request' }).click();
    await heading(page, 'Pull request open').waitFor();
    const pull = ground.pullOf(place);
    place.remote.checks.set(pull.head_commit, [{ name: 'unit tests', source: 'run', state: 'success' }]);
    place.remote.members.add('mara');
    place.remote.comment(pull, { author: 'mara', body: 'Please name it better.', path: 'new.txt', line: 1 });
    await page.getByText('unit tests').waitFor();
    await page.getByRole('checkbox', { name: /Please name it better/ }).check();
    await expectUsable(page, 'pull-request');
    await page.getByRole('button', { name: /Send comments to the agent/ }).click();
    await page.getByRole('tab', { name: 'Conversation' }).click();
    await page.getByText(/Please name it better/).waitFor();
    await ground.call('wait_for_attempts', { attempt_ids: [place.attempt_id], wait_ms: 30_000 });
    await page.getByRole('tab', { name: 'Delivery' }).click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('A new file');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 4, name: /A new file/ }).waitFor();
    await page.getByRole('button', { name: 'Squash and merge' }).click();
    await page.getByRole('region', { name: 'Pull request 1' }).getByText('merged', { exact: true }).waitFor();
    expect(pull).toMatchObject({ title: 'A new file', state: 'merged' });
  });

  it('attaches a pull request that was opened elsewhere, queues another one, and closes it', async () => {
    const { url, remote, ...place } = await ground.opened();
    remote.hasQueue = true;
    const page = await open(place);
    await page.getByRole('button', { name: 'Add to merge queue' }).click();
    await heading(page, 'Waiting in the merge queue').waitFor();
    await page.getByRole('button', { name: 'Close pull request' }).click();
    await heading(page, 'Pull request closed').waitFor();
    remote.open({ title: 'Again', body: '', draft: false, head: remote.pulls[0]!.head, base: 'main' });
    await page.getByRole('button', { name: 'Attach pull request…' }).click();
    await page.getByRole('textbox', { name: 'Address of the pull request' }).fill(url.replace(/1$/, '2'));
    await page.getByRole('button', { name: 'Attach', exact: true }).click();
    await heading(page, 'Pull request open').waitFor();
  });

  it('replaces what the remote has only after it was asked to', async () => {
    const place = await ground.attempt();
    const page = await open(place);
    await page.getByRole('button', { name: 'Push' }).click();
    await heading(page, 'Pushed').waitFor();
    const branch = place.repository.git('branch', '--list', 'ty/*', '--format=%(refname:short)').trim();
    const theirs = place.remote.git.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs');
    place.remote.git.git('update-ref', `refs/heads/${branch}`, theirs);
    await page.getByRole('button', { name: 'Push' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Replace what the remote has' }).click();
    const ours = place.repository.git('rev-parse', branch);
    await eventually('the branch on the remote', () => place.remote.tip(branch) === ours);
    browser.forgive(/status of 409/);
  });

  it('shows a conflict, asks the agent, goes on once it is resolved, or gives the update up', async () => {
    const { project_id, repository } = await ground.board.project({ files: { 'notes.md': 'base\n' } });
    const { attempt, tree } = await givenWorktree(ground.board, project_id);
    tree.write({ 'notes.md': 'ours\n' });
    tree.commit('ours');
    moveMain(repository, { 'notes.md': 'theirs\n' });
    const page = await open({ project_id, attempt_id: attempt.attempt_id as string });
    await page.getByText('A merge would meet these conflicts').waitFor();
    const start = page.getByRole('button', { name: 'Update from target' });
    await start.click();
    await page.getByRole('button', { name: 'Continue update' }).click();
    await page.getByRole('alert').waitFor(); // not resolved yet
    await expectUsable(page, 'conflict');
    await page.getByRole('button', { name: 'Abort update' }).click();
    await start.click();
    await page.getByText('1 of 1 conflicts are open.').waitFor();
    tree.write({ 'notes.md': 'both\n' });
    tree.git('add', 'notes.md');
    await page.getByRole('button', { name: 'Continue update' }).click();
    await heading(page, 'Ready to merge').waitFor();
    await page.getByText('Merges without a conflict.').waitFor();
    browser.forgive(/status of 409/);
  });

  it('knows one way out of a conflict: the agent is asked to resolve it', async () => {
    const place = await ground.board.project({ files: { 'notes.md': 'base\n' } });
    const { attempt_id } = await ground.board.endedAttempt(place.project_id, 'write notes.md <<< ours', demo);
    const script = { executor: 'SHELL' };
    const ofScript = await ground.board.endedAttempt(place.project_id, 'echo mine > notes.md', script);
    moveMain(place.repository, { 'notes.md': 'theirs\n' });
    const board = await browser.open(`${ground.board.server.url}/ui/p/${place.project_id}`);
    const card = board.locator('.card', { hasText: 'DEMO' });
    await card.waitFor();
    expect(await card.getByText('conflict').count()).toBe(0); // nobody has looked since main moved
    const page = await browser.open(`${ground.board.server.url}/ui/p/${place.project_id}/a/${attempt_id}`);
    await page.locator('.facts').getByText('conflict', { exact: true }).waitFor();
    await card.getByText('conflict', { exact: true }).waitFor();
    for (const list of ['Inbox', 'My work']) {
      await board.getByRole('link', { name: list }).click();
      await board.getByRole('heading', { level: 1, name: list }).waitFor();
      const entry = board.getByRole('listitem').filter({ has: board.locator(`a[href*="/a/${attempt_id}"]`) });
      await entry.getByText('conflict', { exact: true }).waitFor();
    }
    await page.getByRole('link', { name: 'Resolve the conflict' }).click();
    await heading(page, 'Conflicts with the target').waitFor();
    expect(await page.getByRole('button', { name: 'Merge', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Update and ask the agent to resolve' }).click();
    await page.getByText('2 runs').waitFor();
    await page.getByText('A merge is in progress.').waitFor(); // it has resolved nothing
    await page.getByRole('button', { name: 'Ask the agent to resolve', exact: true }).waitFor();
    const byHand = await browser.prepare(ground.board.server.url);
    const executors = byHand.waitForResponse(/\/api\/executors$/);
    await byHand.goto(`${ground.board.server.url}/ui/p/${place.project_id}/a/${ofScript.attempt_id}/delivery`);
    await executors;
    await heading(byHand, 'Conflicts with the target').waitFor();
    expect(await byHand.getByRole('button', { name: /agent/ }).count()).toBe(0); // a script is none
    await byHand.getByRole('button', { name: 'Update from target' }).click();
    await byHand.getByText('A merge is in progress.').waitFor();
    expect(await byHand.getByRole('button', { name: /agent/ }).count()).toBe(0);
  });

  it('asks once before a merge touches a checkout', async () => {
    const place = await ground.board.project({ files: { 'notes.md': 'base\n' } });
    const { attempt_id } = await ground.board.endedAttempt(place.project_id, 'write notes.md <<< ours', demo);
    const page = await open({ ...place, attempt_id: attempt_id as string });
    await page.getByText('web has no remote named origin').waitFor();
    expect(await page.getByRole('button', { name: 'Push' }).count()).toBe(0); // there is nowhere to push to
    const merge = page.getByRole('button', { name: 'Merge', exact: true });
    await merge.click();
    const dialog = page.getByRole('dialog', { name: 'The target is checked out' });
    await dialog.getByText(place.repository.dir).waitFor();
    await dialog.getByRole('button', { name: 'Not now' }).click();
    await merge.click();
    await dialog.getByRole('button', { name: 'Merge and update the checkout' }).click();
    await heading(page, 'Merged').waitFor();
    expect(place.repository.git('show', 'main:notes.md')).toBe('ours');
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await merge.click();
    await heading(page, 'Merged').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).last().click(); // as of all that is done by a press
    await merge.waitFor();
    expect(place.repository.git('show', 'main:notes.md')).toBe('base');
  });
});
