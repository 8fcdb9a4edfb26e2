import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GitRepository } from '../../test/support/git-repository.js';
import { wideGuard, WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';

describe('the configuration of a repository', () => {
  let box: WorkspaceSandbox;
  let app: GitRepository;
  let program: string;
  beforeEach(() => {
    box = new WorkspaceSandbox();
    app = box.repository('app', {
      'a.txt': 'a\n',
      '.gitattributes': '* filter=planted diff=planted merge=planted\n',
    });
    program = box.path('planted');
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${box.path('ran')}'\ncat 2>/dev/null || true\n`);
    chmodSync(program, 0o755);
  });
  afterEach(() => box.remove());

  /** Everything that the server does with the files of an attempt. */
  const live = async () => {
    const workspace = await box.prepared(app);
    const tree = box.tree(workspace);
    tree.write({ 'b.txt': 'b\n' });
    writeFileSync(`${tree.dir}/a.txt`, 'changed\n');
    const options = { guard: wideGuard, force: false };
    const { files } = await box.host.changes(workspace, options);
    const { patch } = await box.host.patch(workspace, { ...options, paths: ['app'], max_bytes: 200_000 });
    await box.host.isDirty(workspace);
    await box.host.settle(workspace);
    const { app: commit } = await box.host.commit(workspace, 'work');
    await box.host.dispose(workspace, { deleteBranch: true });
    return { files, patch, commit };
  };

  it.each([
    ['filter.planted.clean'],
    ['filter.planted.smudge'],
    ['filter.planted.process'],
    ['filter.lfs.clean'],
    ['core.fsmonitor'],
    ['core.hooksPath'],
    ['core.sshCommand'],
    ['core.pager'],
    ['core.editor'],
    ['core.askPass'],
    ['credential.helper'],
    ['diff.external'],
    ['diff.planted.command'],
    ['diff.planted.textconv'],
    ['merge.planted.driver'],
    ['gpg.program'],
    ['uploadpack.packObjectsHook'],
    ['alias.diff'],
    ['alias.commit'],
  ])('runs nothing by %s', async (key) => {
    app.git('config', key, key.startsWith('alias.') ? `!${program}` : program);
    for (const flag of ['commit.gpgSign', 'filter.planted.required']) app.git('config', flag, 'true');
    const { files, patch, commit } = await live();
    expect(existsSync(box.path('ran'))).toBe(false);
    expect(files).toEqual(['app/a.txt', 'app/b.txt']);
    expect(patch).toContain('+changed\n');
    expect(app.git('show', '--no-textconv', '--no-ext-diff', '--format=', '--name-only', `${commit}`)).toBe(
      'a.txt\nb.txt',
    );
  });

  it('runs nothing by a file that it includes', async () => {
    writeFileSync(box.path('included'), `[filter "planted"]\n\tclean = ${program}\n\tsmudge = ${program}\n`);
    app.git('config', 'include.path', box.path('included'));
    await live();
    expect(existsSync(box.path('ran'))).toBe(false);
  });
});
