import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { maxFileBytes } from './artifact-host.js';
import type { Workspace } from './workspace-host.js';

describe('file', () => {
  let box: WorkspaceSandbox;
  let workspace: Workspace;
  let dir: string;
  beforeEach(async () => {
    box = new WorkspaceSandbox();
    workspace = await box.prepared(
      box.repository('app', { 'src/a.txt': 'hello wörld\n', 'we"ird\tnä\nme.txt': 'odd' }),
    );
    dir = box.tree(workspace).dir;
  });
  afterEach(() => box.remove());

  const read = (name: string, start = 0, max_bytes = 65_536) =>
    box.host.file(workspace, { path: name, start, max_bytes });

  it('reads a file whole', async () => {
    expect(await read('app/src/a.txt')).toEqual({
      path: 'app/src/a.txt',
      blocked: false,
      blocked_reason: null,
      truncated: false,
      start: 0,
      bytes: 13,
      total_bytes: 13,
      is_binary: false,
      encoding: 'utf8',
      content: 'hello wörld\n',
      next: null,
    });
    expect(await read('app/we"ird\tnä\nme.txt')).toMatchObject({ content: 'odd' });
    expect(await read('app//./src///a.txt')).toMatchObject({ bytes: 13 });
  });

  it('reads slices at character boundaries and says whether more follows', async () => {
    expect(await read('app/src/a.txt', 0, 8)).toMatchObject({ content: 'hello w', bytes: 7, truncated: true });
    expect(await read('app/src/a.txt', 7, 8)).toMatchObject({ content: 'örld\n', bytes: 6, truncated: false });
    expect(await read('app/src/a.txt', 8, 3)).toMatchObject({ content: 'rl', start: 9, bytes: 2, truncated: true });
    expect(await read('app/src/a.txt', 7, 1)).toMatchObject({ content: 'ö', bytes: 2 });
    for (const start of [13, 5_000])
      expect(await read('app/src/a.txt', start)).toMatchObject({
        content: '',
        bytes: 0,
        truncated: false,
        total_bytes: 13,
        blocked: false,
      });
  });

  it('gives binary files as base64, whichever part is asked for', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from('plain text'.repeat(2_000))]);
    writeFileSync(path.join(dir, 'pic.bin'), bytes);
    expect(await read('app/pic.bin', 0, 6)).toMatchObject({
      is_binary: true,
      encoding: 'base64',
      content: bytes.subarray(0, 6).toString('base64'),
      bytes: 6,
      truncated: true,
    });
    expect(await read('app/pic.bin', 10_000, 4)).toMatchObject({
      is_binary: true,
      content: bytes.subarray(10_000, 10_004).toString('base64'),
    });
    writeFileSync(path.join(dir, 'latin.txt'), Buffer.from('café', 'latin1'));
    expect(await read('app/latin.txt')).toMatchObject({ is_binary: true, encoding: 'base64', bytes: 4 });
  });

  it('reads lines, and says where to go on', async () => {
    writeFileSync(path.join(dir, 'lines.txt'), Array.from({ length: 100 }, (_, at) => `line ${at + 1}\n`).join(''));
    const lines = (start_line: number, line_count?: number, start = 0, max_bytes?: number) =>
      box.host.file(workspace, { path: 'app/lines.txt', start, max_bytes, lines: { start_line, line_count } });
    expect(await lines(10, 2)).toMatchObject({
      content: 'line 10\nline 11\n',
      start: 63,
      truncated: true,
      next: { start: 0, start_line: 12 },
    });
    expect(await lines(10, 2, 0, 10)).toMatchObject({ content: 'line 10\nli', next: { start: 10 } });
    expect(await lines(10, 2, 10, 10)).toMatchObject({ content: 'ne 11\n', next: { start: 0, start_line: 12 } });
    expect(await lines(100)).toMatchObject({ content: 'line 100\n', truncated: false, next: null });
    expect(await lines(101, 5)).toMatchObject({ content: '', truncated: false, next: null });
  });

  it('holds less of what is told as base64, unless more is asked for', async () => {
    writeFileSync(path.join(dir, 'long.txt'), 'x\n'.repeat(50_000));
    writeFileSync(path.join(dir, 'long.bin'), Buffer.alloc(100_000));
    const whole = (name: string) => box.host.file(workspace, { path: name, start: 0 });
    expect(await whole('app/long.txt')).toMatchObject({ bytes: 40_960, next: { start: 40_960 } });
    expect(await whole('app/long.bin')).toMatchObject({ bytes: 16_384, next: { start: 16_384 } });
    expect(await read('app/long.bin', 0, 50_000)).toMatchObject({ bytes: 50_000 });
  });

  it('reads the target branch, whatever the worktree holds', async () => {
    writeFileSync(path.join(dir, 'src/a.txt'), 'mine\n');
    symlinkSync('src', path.join(dir, 'src/link'));
    const target = (name: string, start = 0) => box.host.file(workspace, { path: name, start, of: 'target' });
    expect(await target('app/src/a.txt')).toMatchObject({ content: 'hello wörld\n', total_bytes: 13 });
    expect(await target('app/we"ird\tnä\nme.txt', 1)).toMatchObject({ content: 'dd', start: 1 });
    expect(await target('app/src')).toMatchObject({ blocked_reason: 'not_a_file' });
    expect(await target('app/../x')).toMatchObject({ blocked_reason: 'path_outside_workspace' });
    for (const missing of ['app', 'app/*', 'app/src/link', 'other/src/a.txt'])
      await expect(target(missing)).rejects.toMatchObject({ code: 'file_not_found' });
  });

  it('caps the slice, whatever the file', async () => {
    truncateSync(path.join(dir, 'src/a.txt'), 0);
    writeFileSync(path.join(dir, 'big.txt'), 'x'.repeat(maxFileBytes + 10));
    expect(await read('app/big.txt', 0, maxFileBytes)).toMatchObject({ bytes: maxFileBytes, truncated: true });
    expect(await read('app/big.txt', 0, maxFileBytes + 1)).toEqual({
      path: 'app/big.txt',
      blocked: true,
      blocked_reason: 'size_exceeded',
      truncated: false,
      start: 0,
      bytes: 0,
      total_bytes: null,
      is_binary: false,
      encoding: null,
      content: null,
      next: null,
    });
    expect(await read('app/src/a.txt')).toMatchObject({ content: '', bytes: 0, total_bytes: 0, is_binary: false });
  });

  it.each([
    '/etc/passwd',
    '../etc/passwd',
    'app/../../x',
    'app/src/..',
    'app/a\0b',
    'app/.git',
    'app/.GIT/config',
    'app/src/.Git/x',
    '..',
    'app/.git/../src/a.txt',
  ])('refuses the path %j', async (name) => {
    expect(await read(name)).toMatchObject({ blocked: true, blocked_reason: 'path_outside_workspace', content: null });
  });

  it('follows links only within the worktree of the repository', async () => {
    const secret = box.path('secret.txt');
    writeFileSync(secret, 'secret');
    const links: [string, string][] = [
      ['abs', secret],
      ['rel', '../../../../secret.txt'],
      ['dir', box.dir],
      ['git', '.git'],
      ['chain', 'abs'],
      ['dangling', box.path('nothing')],
      ['sibling', `${dir}-other/x`],
    ];
    links.forEach(([name, target]) => symlinkSync(target, path.join(dir, name)));
    mkdirSync(`${dir}-other`);
    writeFileSync(`${dir}-other/x`, 'of another repository');
    for (const name of ['abs', 'rel', 'dir/secret.txt', 'dir', 'git', 'chain', 'sibling', 'dir/missing.txt']) {
      expect({ name, ...(await read(`app/${name}`)) }).toMatchObject({
        name,
        blocked_reason: 'path_outside_workspace',
        content: null,
      });
    }
    await expect(read('app/dangling')).rejects.toMatchObject({ code: 'file_not_found' });
    symlinkSync('src', path.join(dir, 'inside'));
    symlinkSync('inside/a.txt', path.join(dir, 'inside.txt'));
    expect(await read('app/inside/a.txt')).toMatchObject({ bytes: 13 });
    expect(await read('app/inside.txt')).toMatchObject({ bytes: 13 });
  });

  it('refuses what is no file, without waiting for it', async () => {
    execFileSync('mkfifo', [path.join(dir, 'pipe')]);
    symlinkSync('pipe', path.join(dir, 'to-pipe'));
    const server = createServer().listen(path.join(dir, 's'));
    await new Promise((resolve) => server.once('listening', resolve));
    const answers = await Promise.all(
      ['app', 'app/', 'app/src', 'app/pipe', 'app/to-pipe', 'app/s'].map((name) => read(name)),
    );
    await new Promise((resolve) => server.close(resolve));
    expect(answers.map(({ blocked_reason }) => blocked_reason)).toEqual(Array(6).fill('not_a_file'));
  });

  it.each([
    'app/nothing.txt',
    'app/src/a.txt/below',
    'other/a.txt',
    'src/a.txt',
    'App/src/a.txt',
    '',
    `app/${'x'.repeat(300)}`,
    'app/loop',
  ])('says that there is no file %j', async (name) => {
    symlinkSync('loop', path.join(dir, 'loop'));
    await expect(read(name)).rejects.toMatchObject({ code: 'file_not_found', details: { path: name } });
  });

  it('never gives away a file outside while an agent swaps links under its hands', async () => {
    const secret = box.path('secret');
    mkdirSync(secret);
    writeFileSync(path.join(secret, 'a.txt'), 'secret');
    symlinkSync(secret, path.join(dir, 'link'));
    let isOver = false;
    const swap = (async () => {
      while (!isOver) {
        renameSync(path.join(dir, 'src'), path.join(dir, 'aside'));
        renameSync(path.join(dir, 'link'), path.join(dir, 'src'));
        await new Promise((resolve) => setImmediate(resolve));
        renameSync(path.join(dir, 'src'), path.join(dir, 'link'));
        renameSync(path.join(dir, 'aside'), path.join(dir, 'src'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const seen = new Set<string>();
    for (let round = 0; round < 400; round += 1) {
      const answer = await read('app/src/a.txt').catch((error: { code: string }) => error);
      seen.add('content' in answer ? (answer.content ?? answer.blocked_reason!) : answer.code);
    }
    isOver = true;
    await swap;
    expect(seen).toContain('hello wörld\n');
    expect(
      [...seen].filter(
        (answer) => !['hello wörld\n', 'path_outside_workspace', 'file_not_found', 'not_a_file'].includes(answer),
      ),
    ).toEqual([]);
  });

  it('reports a lost workspace', async () => {
    rmSync(dir, { recursive: true });
    await expect(read('app/src/a.txt')).rejects.toMatchObject({ code: 'workspace_lost' });
  });
});
