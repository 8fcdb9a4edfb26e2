import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentHash } from './changes.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'content-hash-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => Buffer.from(path.join(folder, name));
const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');

describe('the hash of what a file holds', () => {
  it('tells contents of one size apart', async () => {
    writeFileSync(at('a'), 'one');
    writeFileSync(at('b'), 'two');
    expect([await contentHash(at('a')), await contentHash(at('b'))]).toEqual([sha256('one'), sha256('two')]);
  });

  it('is that of the target of a link, which is not followed', async () => {
    symlinkSync('/etc/passwd', at('outside'));
    expect(await contentHash(at('outside'))).toBe(sha256('/etc/passwd'));
  });

  it('is none for what holds nothing to read, and waits for nothing', async () => {
    mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('fifo').toString()]);
    writeFileSync(at('huge'), '');
    truncateSync(at('huge'), 65 * 1024 * 1024);
    for (const name of ['gone', 'folder', 'fifo', 'huge']) expect(await contentHash(at(name))).toBeNull();
  });
});
