import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { OidcProvider } from '../support/oidc-provider.js';
import { ServerProcess } from '../support/server-process.js';
import { describeEach } from './cli/installed-clis.js';
import { pointAt } from './cli/settings.js';
import { runInTerminal } from './cli/terminal.js';

const NOWHERE = 'http://127.0.0.1:9';

describeEach(['CLAUDE_CODE'], ({ executor, program }) => {
  let provider: OidcProvider;
  let database: TestDatabase;
  let server: ServerProcess;
  let home: string;

  beforeAll(async () => {
    provider = await OidcProvider.start();
    database = await createTestDatabase();
    home = mkdtempSync(path.join(tmpdir(), 'agent-home-'));
    const port = await freePort();
    server = await ServerProcess.start({
      ...{ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, DATABASE_URL: database.url },
      ...{ DATA_DIR: path.join(home, 'data'), OIDC_ISSUER: provider.issuer, OIDC_ROLES: 'eng=write' },
    });
  });
  afterAll(async () => {
    await server?.end();
    server?.repositories.remove();
    await database?.drop();
    await provider?.stop();
    if (home) rmSync(home, { recursive: true, force: true });
  });

  it('logs its user in at the identity provider that the endpoint names', async () => {
    const env = { ...pointAt(executor, NOWHERE, home), PATH: withBrowser(home), TERM: 'xterm-256color', DISPLAY: ':0' };
    const add = `${program} mcp add --transport http taskyard ${server.url}/mcp`;
    await runInTerminal(add, { done: /Added HTTP/, env, cwd: home });
    await runInTerminal(`${program} mcp login taskyard`, { done: /Authenticated with/, env, cwd: home });
    expect(provider.asked.filter((asked) => asked === '/token')).toHaveLength(1);
  });
});

/** Its browser is the first on the path. */
function withBrowser(home: string): string {
  const folder = path.join(home, 'bin');
  mkdirSync(folder);
  symlinkSync(path.join(import.meta.dirname, 'cli/browser.mjs'), path.join(folder, 'xdg-open'));
  return `${folder}:${process.env.PATH}`;
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return String(port);
}
