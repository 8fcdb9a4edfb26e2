import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { GitRepository } from '../../support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../support/workspace-sandbox.js';

const box = new WorkspaceSandbox();
afterAll(() => box.remove());

it('prepares, reads and disposes of a repository of 20 000 files', async () => {
  const app = new GitRepository(box.path('big'));
  app.init();
  app.importFiles(20_000, 500);
  app.git('reset', '--quiet', '--mixed');
  const workspace = await box.prepared(app);
  const tree = box.tree(workspace);
  expect(readdirSync(tree.dir)).toHaveLength(201);
  expect(tree.git('status', '--porcelain')).toBe('');
  rmSync(path.join(tree.dir, 'd7'), { recursive: true });
  tree.write({ 'd8/f8.txt': 'changed\n', 'new.txt': 'new\n' });
  const options = { guard: wideGuard, force: false };
  expect(await box.host.changes(workspace, options)).toMatchObject({
    blocked: false,
    summary: { file_count: 102, added: 2, deleted: 1414, total_bytes: 12 },
  });
  const patch = await box.host.patch(workspace, { ...options, paths: ['big/d8', 'big/new.txt'], max_bytes: 100_000 });
  expect(patch.patch!.match(/^diff --git/gm)).toHaveLength(2);
  await box.host.dispose(workspace, { deleteBranch: true });
  expect(app.git('diff', '--shortstat', 'main', `refs/taskyard/saved/${workspace.attempt_id}`)).toContain(
    '102 files changed',
  );
  expect(existsSync(tree.dir)).toBe(false);
});
