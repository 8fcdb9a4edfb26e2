import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceSandbox, wideGuard } from '../../test/support/workspace-sandbox.js';
import type { Mark } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';

describe('changes since a mark', () => {
  let box: WorkspaceSandbox;
  let workspace: Workspace;
  beforeEach(async () => {
    box = new WorkspaceSandbox();
    workspace = await box.prepared(box.repository('app', { 'a.txt': 'one\n', 'b.txt': 'two\n' }));
  });
  afterEach(() => box.remove());

  const write = (name: string, text: string) => writeFileSync(`${box.tree(workspace).dir}/${name}`, text);
  const changed = async (since?: Mark[]) =>
    (await box.host.changes(workspace, { guard: wideGuard, force: false, ...(since && { since }) })).files;

  it('leave out what the worktree held then, committed or not', async () => {
    write('a.txt', 'ONE\n');
    const first = await box.host.marks(workspace);
    expect([await changed(), await changed(first)]).toEqual([['app/a.txt'], []]);
    write('new.txt', 'new\n');
    const second = await box.host.marks(workspace);
    expect([await changed(first), await changed(second)]).toEqual([['app/new.txt'], []]);
    box.tree(workspace).git('add', '--all');
    box.tree(workspace).git('commit', '--quiet', '--message=All');
    expect([await changed(first), await changed(second)]).toEqual([['app/new.txt'], []]);
    write('a.txt', 'one\n');
    expect([await changed(), await changed(second)]).toEqual([['app/new.txt'], ['app/a.txt']]);
    const patch = { paths: ['app'], guard: wideGuard, force: false, max_bytes: 10_000, since: second };
    expect((await box.host.patch(workspace, patch)).patch).toContain('-ONE\n+one\n');
  });

  it('are all of them where the mark is not to be found', async () => {
    write('a.txt', 'ONE\n');
    for (const commit of ['f'.repeat(40), workspace.repos[0]!.base_commit!])
      expect(await changed([{ repo_name: 'app', commit }])).toEqual(['app/a.txt']);
    expect(await changed([])).toEqual(['app/a.txt']);
  });
});
