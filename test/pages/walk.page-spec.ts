import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { untilEnded } from '../support/board.js';
import { describePages, PageBrowser } from '../support/browser.js';
import type { GitRepository } from '../support/git-repository.js';
import { type Hands, Keyboard, Mouse } from '../support/hands.js';
import type { McpClient } from '../support/mcp-client.js';
import { TestServer } from '../support/server.js';

const browser = PageBrowser.use();
const MOST_CONTROLS = 45;

for (const HandsOf of [Mouse, Keyboard])
  describePages(`a newcomer with a ${HandsOf.name.toLowerCase()}`, () => {
    const server = TestServer.use();

    it('comes from an empty server to a merge, and takes back what was done', async () => {
      const repository = server.repositories.repository('shop', { 'notes.md': 'base\n' });
      const hands = new HandsOf(await browser.open(`${server.url}/`));
      const walk = { hands, page: hands.page, repository, agent: await server.mcp() };
      for (const part of [begin, review, resolve, merge, takeBack]) await part(walk);
      await hands.expectForPeople();
      expect(hands.operated).toBeLessThanOrEqual(MOST_CONTROLS);
      browser.forgive(/status of 40[49]/); // a merge asks first; what is deleted is gone
    });
  });

interface Walk {
  hands: Hands;
  page: Page;
  repository: GitRepository;
  agent: McpClient;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
/** The server is asked, too: the page may still show the end of the run before. */
async function ended({ page, agent }: Walk, runs: string): Promise<void> {
  await page.getByText(runs, { exact: true }).waitFor();
  await untilEnded(agent, /\/a\/([^/]+)/.exec(page.url())![1]!);
  await page.getByText('Completed', { exact: true }).waitFor();
}

async function begin(walk: Walk): Promise<void> {
  const { hands, repository } = walk;
  await hands.type('textbox', 'Repository', repository.dir);
  await hands.press('button', 'Add repository');
  await hands.press('button', 'New task');
  await hands.type('textbox', 'Title', 'Say hello');
  await hands.type('textbox', 'Description', 'write notes.md <<< ours\nsay It is written.');
  await hands.press('button', 'Start');
  await ended(walk, '1 run');
}

async function review(walk: Walk): Promise<void> {
  const { hands, repository } = walk;
  await hands.press('link', 'Review changes');
  await hands.press('button', 'Comment');
  await hands.type('textbox', 'Comment', 'append notes.md <<< more');
  await hands.press('button', 'Add comment');
  repository.write({ 'notes.md': 'theirs\n' });
  repository.commit('theirs'); // which the end of the run finds
  await hands.press('button', 'Send comments');
  await ended(walk, '2 runs');
}

/** The agent finds no way by itself; told how, it does. */
async function resolve(walk: Walk): Promise<void> {
  const { hands } = walk;
  await hands.press('link', 'Resolve the conflict');
  await heading(hands.page, 'Conflicts with the target');
  await hands.press('button', 'Update and ask the agent to resolve');
  await ended(walk, '3 runs');
  await hands.page.getByText('1 of 1 conflicts are open.').waitFor();
  await hands.type('textbox', 'Follow-up', 'write notes.md <<< both\nrun git add -A');
  await hands.press('button', 'Send');
  await ended(walk, '4 runs');
  await hands.press('button', 'Continue update');
  await heading(hands.page, 'Ready to merge');
}

async function merge(walk: Walk): Promise<void> {
  const { hands, repository } = walk;
  await hands.press('button', 'Merge');
  await hands.press('button', 'Merge and update the checkout');
  await heading(hands.page, 'Merged');
  expect(repository.git('show', 'main:notes.md')).toBe('both');
  await hands.press('button', 'Undo merge');
  await heading(hands.page, 'Ready to merge');
  expect(repository.git('show', 'main:notes.md')).toBe('theirs');
}

async function takeBack(walk: Walk): Promise<void> {
  const { hands } = walk;
  await hands.press('link', 'Task');
  await hands.press('button', 'Delete');
  await hands.page.getByText('it can be restored').waitFor();
  await hands.undo();
  await heading(hands.page, 'Say hello');
}
