import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ownPort } from '../../support/own-port.js';
import { typeCode } from '../../support/device-code.js';
import type { Json } from '../../support/mcp-client.js';
import { follow, OidcProvider } from '../../support/oidc-provider.js';
import { TestServer } from '../../support/server.js';
import { ShellUser } from '../../support/shell-user.js';

let provider: OidcProvider;
let server: TestServer;
let user: ShellUser;
beforeAll(async () => {
  provider = await OidcProvider.start();
  const PORT = String(await ownPort());
  const PUBLIC_URL = `http://127.0.0.1:${PORT}`;
  const OIDC = { OIDC_ISSUER: provider.issuer, OIDC_ROLES: 'eng=write' };
  server = await TestServer.start({ PORT, PUBLIC_URL, ...OIDC });
  user = new ShellUser(server.url, { DISPLAY: ':none' });
});
afterAll(async () => {
  user.remove();
  await server.stop();
  await provider.stop();
});

const list = () => user.types(['list', '--projects']);
const credentialFile = () => path.join(user.home, '.config/taskyard', `${encodeURIComponent(server.url)}.json`);
const kept = () => JSON.parse(readFileSync(credentialFile(), 'utf8')) as { token: string; expires_at: number };

it('a person signs in by the browser, stays signed in, and signs out', async () => {
  expect((await list()).code).toBe(4);
  const login = user.start(['login']);
  const [, address = ''] = await login.says(/^Sign in at (\S+)$/m, 'stderr');
  const redirect = new URL(address).searchParams.get('redirect_uri')!;
  expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  await fetch(await follow(address, redirect));
  expect([await login.ended, login.stdout]).toEqual([0, expect.stringContaining('as Ada')]);
  expect(statSync(credentialFile()).mode & 0o777).toBe(0o600);
  expect((await list()).code).toBe(0);

  const first = kept();
  writeFileSync(credentialFile(), JSON.stringify({ ...first, token: 'stale', expires_at: 0 }));
  expect((await list()).code).toBe(0);
  expect(kept().token).not.toBe('stale');
  expect(kept().expires_at).toBeGreaterThan(Date.now());

  expect((await user.types(['logout'])).code).toBe(0);
  expect((await list()).code).toBe(4);
});

it('a person signs in on another device by a code', async () => {
  const login = user.start(['login', '--no-browser']);
  const [, page = '', code = ''] = await login.says(/^Open (\S+) on any device, and type (\S+)$/m, 'stderr');
  await typeCode(page, code);
  expect([await login.ended, login.stdout]).toEqual([0, expect.stringContaining('signed in at')]);
  expect((await list()).code).toBe(0);
});

it('tools over stdio are called as who is signed in, whose token is renewed once', async () => {
  const first = kept();
  writeFileSync(credentialFile(), JSON.stringify({ ...first, token: 'stale', expires_at: 0 }));
  const call = (id: number) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_projects', arguments: {} } });
  const { code, stdout, stderr } = await user.types(['mcp', '--stdio'], user.home, `${call(1)}\n${call(2)}\n`);
  expect([code, stderr]).toEqual([0, '']);
  const answers = stdout.trimEnd().split('\n');
  expect(answers.map((line) => (JSON.parse(line) as Json).result)).toEqual([
    expect.objectContaining({ structuredContent: expect.objectContaining({ projects: [] }) }),
    expect.objectContaining({ structuredContent: expect.objectContaining({ projects: [] }) }),
  ]);
  expect(kept().token).not.toBe('stale');

  expect((await user.types(['logout'])).code).toBe(0);
  const refused = await user.types(['mcp', '--stdio'], user.home, `${call(3)}\n`);
  expect(refused.stdout).toContain('unauthenticated');
});
