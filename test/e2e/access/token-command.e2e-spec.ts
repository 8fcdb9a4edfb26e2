import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { Json } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

const SECRET = 'the-token-that-makes-all-the-others';
const server = TestServer.use({ TASKFLOW_SERVICE_TOKEN: SECRET });
const program = path.join(import.meta.dirname, '../../../scripts/token.mjs');

/** What the command prints, and the code it ends with. */
async function token(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, TASKFLOW_API_URL: server.url, TASKFLOW_SERVICE_TOKEN: SECRET };
  const ended = promisify(execFile)(process.execPath, [program, ...args], { env });
  return ended.then(
    (printed) => ({ code: 0, ...printed }),
    (error: unknown) => error as { code: number; stdout: string; stderr: string },
  );
}

describe('npm run token', () => {
  it('makes, lists, replaces and revokes a token', async () => {
    const made = JSON.parse((await token('create', 'nightly build', '--scopes', 'read,write')).stdout) as Json;
    expect(made).toMatchObject({ name: 'nightly build', scopes: ['read', 'write'], token: expect.any(String) });
    expect((await token('list')).stdout).toBe(`${made.token_id}\tnightly build\tread,write\tnever expires\tunused\n`);
    const replaced = await token('rotate', String(made.token_id), '--overlap', '0');
    const fresh = JSON.parse(replaced.stdout) as Json;
    await token('revoke', String(fresh.token_id));
    expect((await token('list')).stdout).toBe('');
  });

  it('says why the server refuses, and how it is used', async () => {
    expect(await token('create', 'x', '--scopes', 'fly')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('invalid_argument'),
    });
    expect(await token('revoke')).toMatchObject({ code: 2, stderr: expect.stringContaining('usage:') });
    expect(await token('list', '--fast')).toMatchObject({ code: 2, stderr: expect.stringContaining('usage:') });
  });
});
