import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { archiveAgentState, noteCopied } from './agent-state-archive.js';

describe('the archive of what agents keep', () => {
  let box: string;
  let state: string;
  beforeEach(() => {
    box = mkdtempSync(path.join(tmpdir(), 'taskyard-archive-'));
    state = path.join(box, 'state');
    mkdirSync(path.join(state, 'home/.local%2Fshare%2Fx/deep'), { recursive: true });
    mkdirSync(path.join(box, 'out'));
  });
  afterEach(() => rmSync(box, { recursive: true }));

  const put = (name: string, content: string | Buffer): void => writeFileSync(path.join(state, 'home', name), content);
  async function unpacked(): Promise<string[]> {
    const packed = Buffer.from((await archiveAgentState(state, 'one')).archive, 'base64');
    expect(spawnSync('tar', ['xzf', '-', '-C', path.join(box, 'out')], { input: packed }).status).toBe(0);
    return readdirSync(path.join(box, 'out'), { recursive: true, encoding: 'utf8' }).sort();
  }

  it('holds its files where a home folder has them, byte for byte, under names of any length', async () => {
    const long = `${'n'.repeat(120)} ü.jsonl`;
    const content = Buffer.from(Array.from({ length: 1_500 }, (_, at) => at % 256));
    put(`.local%2Fshare%2Fx/deep/${long}`, content);
    put('.local%2Fshare%2Fx/empty', '');
    expect(await unpacked()).toEqual(
      ['', '/share', '/share/x', '/share/x/deep', `/share/x/deep/${long}`, '/share/x/empty'].map(
        (name) => `.local${name}`,
      ),
    );
    expect(readFileSync(path.join(box, 'out/.local/share/x/deep', long))).toEqual(content);
  });

  it('holds neither what was copied in nor what a link leads to', async () => {
    for (const name of ['auth.json', 'kept', 'settings']) put(`.local%2Fshare%2Fx/${name}`, name);
    await noteCopied(state, ['.local%2Fshare%2Fx/auth.json']);
    await noteCopied(state, ['.local%2Fshare%2Fx/settings']);
    writeFileSync(path.join(box, 'secret'), 'secret');
    symlinkSync(path.join(box, 'secret'), path.join(state, 'home/.local%2Fshare%2Fx/file'));
    symlinkSync(box, path.join(state, 'home/.local%2Fshare%2Fx/folder'));
    expect((await unpacked()).filter((name) => !name.endsWith('x') && name.includes('/x/'))).toEqual([
      '.local/share/x/kept',
    ]);
  });

  it('is refused where there is nothing, or too much', async () => {
    await expect(archiveAgentState(path.join(box, 'none'), 'one')).rejects.toMatchObject({
      code: 'agent_state_missing',
    });
    await expect(archiveAgentState(state, 'one')).rejects.toMatchObject({ code: 'agent_state_missing' });
    put('.local%2Fshare%2Fx/large', Buffer.alloc(65 * 1024 * 1024));
    await expect(archiveAgentState(state, 'one')).rejects.toMatchObject({ code: 'agent_state_too_large' });
  });
});
