import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ownPort } from '../support/own-port.js';
import { OidcProvider } from '../support/oidc-provider.js';
import { ServerProcess } from '../support/server-process.js';
import { describeEach } from './cli/installed-clis.js';
import { pointAt } from './cli/settings.js';
import { runInTerminal } from './cli/terminal.js';

const NOWHERE = 'http://127.0.0.1:9';

/** How each of them is told of the endpoint, and logs in. */
const logins: Record<string, (program: string, url: string, home: string, run: Run) => Promise<unknown>> = {
  CLAUDE_CODE: async (program, url, _, run) => {
    await run(`${program} mcp add --transport http taskyard ${url}`, /Added HTTP/);
    await run(`${program} mcp login taskyard`, /Authenticated with/);
  },
  CODEX: (program, url, _, run) => run(`${program} mcp add taskyard --url ${url}`, /Successfully logged in/),
  GEMINI: (program, url, home, run) => {
    const file = path.join(home, '.gemini/settings.json');
    writeFileSync(path.join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }));
    const settings = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...settings, mcpServers: { taskyard: { httpUrl: url } } }));
    const type = { text: '/mcp auth taskyard\r\r', when: /Type your message/ };
    return run(program, /Successfully authenticated|authenticated with MCP server/i, type);
  },
};
type Run = (command: string, done: RegExp, type?: { text: string; when: RegExp }) => Promise<string>;

describeEach(Object.keys(logins), ({ executor, program }) => {
  let provider: OidcProvider;
  let database: TestDatabase;
  let server: ServerProcess;
  let home: string;

  beforeAll(async () => {
    provider = await OidcProvider.start();
    database = await createTestDatabase();
    home = mkdtempSync(path.join(tmpdir(), 'agent-home-'));
    const port = String(await ownPort());
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
    const env = { ...pointAt(executor, NOWHERE, home), TERM: 'xterm-256color', ...browserIn(home) };
    const run: Run = (command, done, type) => runInTerminal(command, { done, env, cwd: home, type });
    await logins[executor]!(program, `${server.url}/mcp`, home, run);
    expect(provider.asked.filter((asked) => asked === '/token')).not.toEqual([]);
  });
});

/** Some take the first browser on the path, others the one that is named. */
function browserIn(home: string): Record<string, string> {
  const browser = path.join(home, 'bin/xdg-open');
  mkdirSync(path.dirname(browser));
  symlinkSync(path.join(import.meta.dirname, 'cli/browser.mjs'), browser);
  return { PATH: `${path.dirname(browser)}:${process.env.PATH}`, BROWSER: browser, DISPLAY: ':0' };
}
