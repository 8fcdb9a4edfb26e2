import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { eventually } from '../../support/eventually.js';
import { tokenOf } from '../../support/local-tokens.js';

const root = path.join(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/client.md'), 'utf8');
const examples = [...page.matchAll(/^## (.+)\n\n```js\n([^]+?)^```$/gm)].map(([, title = '', code = '']) => ({
  title,
  code,
}));

/** What each of them prints, in the order of the page. */
const prints: Record<string, RegExp> = {
  'Hand over work and wait for it': /^completed hello$/m,
  'Follow a log': /^hello$/m,
  'Hear what happens in a project': /^\d+ taskyard\.attempt\.completed [\w-]{36}$/m,
  'Answer what agents ask': /^1 answered$/m,
  'Do what a refusal says': /^task_not_found false .+\nGET \/api\/\S+$/m,
  'Take the diff and merge': /^\+hello\n[^]* landed $/m,
};

const board = Board.use();
const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-examples-'));
beforeAll(() => {
  mkdirSync(path.join(folder, 'node_modules'));
  symlinkSync(root, path.join(folder, 'node_modules/taskyard'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the examples of the client run as they stand', async () => {
  expect(examples.map(({ title }) => title)).toEqual(Object.keys(prints));
  await askSomething();
  const REPOSITORY = board.repository().dir;
  for (const [at, { title, code }] of examples.entries()) {
    const file = path.join(folder, `example-${at}.mjs`);
    writeFileSync(file, code);
    const env = { PATH: process.env.PATH, TASKYARD_URL: board.server.url, TASKYARD_TOKEN: tokenOf(board.server.url) };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env: { ...env, REPOSITORY } });
    expect({ title, stdout }).toEqual({ title, stdout: expect.stringMatching(prints[title]!) });
  }
});

/** An agent of another project asks before it goes on. */
async function askSomething(): Promise<void> {
  const { project_id } = await board.project();
  const task_id = await board.task(project_id, 'Ask', 'ask npm test');
  const { attempt_id } = await board.kanban.call('start_task_attempt', {
    task_id,
    executor: 'DEMO',
    variant: 'APPROVALS',
  });
  const asks = async () => (await board.rest.does('GET', `/api/attempts/${attempt_id}`)).approval as unknown;
  await eventually('an approval', asks);
}
