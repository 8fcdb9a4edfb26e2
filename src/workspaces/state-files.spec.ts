import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withStateFile, writeStateFile } from './state-files.js';

describe('a file of the state that an agent keeps', () => {
  let box: string;
  let state: string;
  beforeEach(() => {
    box = mkdtempSync(path.join(tmpdir(), 'taskyard-state-'));
    state = path.join(box, 'state');
    mkdirSync(path.join(state, 'sessions/2026/11'), { recursive: true });
    writeFileSync(path.join(box, 'secret'), 'secret');
  });
  afterEach(() => rmSync(box, { recursive: true }));

  const content = (pattern: string) =>
    withStateFile(state, pattern, async (file) => `${file.path}: ${(await file.read()).toString()}`);

  it('is found by its path, or by a part of its name: the newest of several', async () => {
    writeFileSync(path.join(state, 'sessions/2026/11/a-1-id.jsonl'), 'old');
    writeFileSync(path.join(state, 'sessions/2026/11/a-2-id.jsonl'), 'new');
    expect(await content('sessions/2026/11/a-1-id.jsonl')).toBe('sessions/2026/11/a-1-id.jsonl: old');
    expect(await content('sessions/*/*/a-*-id.jsonl')).toBe('sessions/2026/11/a-2-id.jsonl: new');
    expect(await content('sessions/*/*/a-*-other.jsonl')).toBeNull();
    expect(await content('nowhere/a.jsonl')).toBeNull();
  });

  it('is never what a link leads to, nor a folder', async () => {
    symlinkSync(path.join(box, 'secret'), path.join(state, 'sessions/2026/11/a-1-id.jsonl'));
    symlinkSync(box, path.join(state, 'out'));
    mkdirSync(path.join(state, 'sessions/2026/11/a-3-id.jsonl'));
    expect(await content('sessions/*/*/a-*-id.jsonl')).toBeNull();
    expect(await content('out/secret')).toBeNull();
  });

  it('is written through missing folders, over another one, and leaves nothing beside it', async () => {
    for (const text of ['first', 'second']) await writeStateFile(state, 'projects/-w/id.jsonl', Buffer.from(text));
    expect(readFileSync(path.join(state, 'projects/-w/id.jsonl'), 'utf8')).toBe('second');
    expect(readdirSync(path.join(state, 'projects/-w'))).toEqual(['id.jsonl']);
  });

  it('is not written through a link: of a folder it is refused, of a file the link goes', async () => {
    symlinkSync(box, path.join(state, 'projects'));
    await expect(writeStateFile(state, 'projects/id.jsonl', Buffer.from('x'))).rejects.toThrow();
    expect(existsSync(path.join(box, 'id.jsonl'))).toBe(false);
    symlinkSync(path.join(box, 'secret'), path.join(state, 'id.jsonl'));
    await writeStateFile(state, 'id.jsonl', Buffer.from('x'));
    expect([
      readFileSync(path.join(box, 'secret'), 'utf8'),
      readFileSync(path.join(state, 'id.jsonl'), 'utf8'),
    ]).toEqual(['secret', 'x']);
  });
});
