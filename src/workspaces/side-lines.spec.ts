import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { maxFileBytes } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';

describe('lines of the changes', () => {
  let box: WorkspaceSandbox;
  let workspace: Workspace;
  beforeEach(async () => {
    box = new WorkspaceSandbox();
    workspace = await box.prepared(box.repository('app', { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'last' }));
  });
  afterEach(() => box.remove());

  const write = (name: string, text: string | Buffer) => writeFileSync(`${box.tree(workspace).dir}/${name}`, text);
  const read = (path: string, side: 'old' | 'new', line: number, end_line = line) =>
    box.host.lines(workspace, { path, side, line, end_line });
  const find = (...quotes: [path: string, side: 'old' | 'new', line: number, lines: string][]) =>
    box.host.findLines(workspace, { quotes: quotes.map(([path, side, line, lines]) => ({ path, side, line, lines })) });

  it('are those before the changes or those in the worktree, committed or not', async () => {
    write('a.txt', 'zero\none\ntwo\n');
    rmSync(`${box.tree(workspace).dir}/gone.txt`);
    expect(await read('app/a.txt', 'old', 1, 2)).toEqual(['one', 'two']);
    expect(await read('app/a.txt', 'new', 1, 2)).toEqual(['zero', 'one']);
    expect(await read('app/a.txt', 'new', 3, 9)).toEqual(['two']);
    expect(await read('app/gone.txt', 'old', 1)).toEqual(['last']);
    box.tree(workspace).git('commit', '--quiet', '--all', '--message=All');
    expect(await read('app/a.txt', 'new', 1)).toEqual(['zero']);
    for (const [path, side] of [
      ['app/gone.txt', 'new'],
      ['app/none.txt', 'old'],
      ['none/a.txt', 'old'],
      ['app', 'new'],
      ['../app/a.txt', 'new'],
      ['app/.git/HEAD', 'new'],
    ] as const)
      await expect(read(path, side, 1)).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('of what is no text, or too much of it, are none', async () => {
    write('odd.bin', Buffer.from([0, 1, 2]));
    write('large.txt', 'x'.repeat(maxFileBytes + 1));
    for (const name of ['odd.bin', 'large.txt'])
      await expect(read(`app/${name}`, 'new', 1)).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('are found where they were, or in the only place to which they moved; changed ones are not', async () => {
    write('a.txt', 'zero\none\ntwo\nthree\n\n}\n}\n');
    expect(
      await find(
        ['app/a.txt', 'new', 1, 'one\ntwo'],
        ['app/a.txt', 'new', 4, 'three'],
        ['app/a.txt', 'new', 2, 'two\none'],
        ['app/a.txt', 'new', 5, ''],
        ['app/a.txt', 'new', 8, ''],
        ['app/a.txt', 'new', 6, '}'],
        ['app/a.txt', 'new', 1, '}'],
        ['app/a.txt', 'old', 3, 'three'],
        ['app/gone.txt', 'new', 1, 'last'],
        ['app/none.txt', 'new', 1, 'x'],
      ),
    ).toEqual([2, 4, null, 5, 5, 6, null, 3, 1, null]);
  });

  it('of delivered work are those between its commits', async () => {
    const tree = box.tree(workspace);
    write('a.txt', 'one\nnew\nthree\n');
    tree.git('commit', '--quiet', '--all', '--message=Work');
    await box.host.refresh(workspace);
    const [from, to] = [workspace.repos[0]!.base_commit!, tree.git('rev-parse', 'HEAD')];
    const delivered = [{ repo_name: 'app', from, to, head: to }];
    const at = { path: 'app/a.txt', line: 2, end_line: 2, delivered };
    expect(await box.host.lines({ ...workspace }, { ...at, side: 'new' })).toEqual(['new']);
    expect(await box.host.lines({ ...workspace }, { ...at, side: 'old' })).toEqual(['two']);
  });
});
