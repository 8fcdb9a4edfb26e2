import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ownPort } from '../../support/own-port.js';
import type { Json } from '../../support/mcp-client.js';
import { OidcProvider } from '../../support/oidc-provider.js';
import { onlyWith, machineHas } from '../../support/machine.js';

const root = path.join(import.meta.dirname, '../../..');
const page = readFileSync(path.join(root, 'docs/secure-it.md'), 'utf8');

/** What the page has its reader type, by the number of the step. */
const steps = new Map(
  page
    .split(/^(?=\d+\. \*\*)/m)
    .slice(1)
    .map((step) => [parseInt(step), [...step.matchAll(/^ +```sh\n([^]*?)^ +```$/gm)].map(([, text]) => text).join('')]),
);

/** Stands for npm: `start` comes back once the new server is ready, in place of the one before. */
const NPM = `#!/bin/bash
if [ "$1" = run ]; then exec node '${root}/scripts/token.mjs' "\${@:4}"; fi
test -e server.pid && kill $(cat server.pid) && tail --pid=$(cat server.pid) -f /dev/null
node '${root}/dist/bundle/main.js' > server.log 2>&1 & echo $! > server.pid
until curl -sf "$TASKFLOW_API_URL/health/ready" > ready.json; do
  kill -0 $(cat server.pid) || { cat server.log; exit 1; }; sleep 0.1; done
`;

onlyWith('curl', 'jq', 'openssl').describe('the page "Secure it", typed step by step', () => {
  let provider: OidcProvider;
  let database: TestDatabase;
  let folder: string;
  let url: string;
  beforeAll(async () => {
    [provider, database] = await Promise.all([OidcProvider.start(), createTestDatabase()]);
    folder = mkdtempSync(path.join(tmpdir(), 'secure-it-'));
    mkdirSync(path.join(folder, 'bin'));
    writeFileSync(path.join(folder, 'bin/npm'), NPM);
    chmodSync(path.join(folder, 'bin/npm'), 0o755);
    url = `http://127.0.0.1:${await ownPort()}`;
  });
  afterAll(async () => {
    const pid = path.join(folder, 'server.pid');
    if (existsSync(pid)) spawnSync('sh', ['-c', `kill $(cat '${pid}') && tail --pid=$(cat '${pid}') -f /dev/null`]);
    await database.drop();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What each of these lines prints, behind its name; the shell is one from the first step to the last. */
  async function type(script: string): Promise<string> {
    const { PATH = '', HOME = '' } = process.env;
    const known = { DATABASE_URL: database.url, DATA_DIR: path.join(folder, 'data'), PORT: new URL(url).port };
    const env = { PATH: `${folder}/bin:${PATH}`, HOME, TASKFLOW_API_URL: url, SECRET: 'the-secret-of-ci', ...known };
    const own = script
      .replaceAll('https://taskyard.example', url)
      .replaceAll('https://login.example/realms/company', provider.issuer);
    const { stdout } = await promisify(execFile)('bash', ['-ec', own], { cwd: folder, env });
    return stdout;
  }

  it('leads from loopback to the identity provider, and each step does what it says', async () => {
    const isolation = machineHas('bubblewrap') ? 'bubblewrap' : 'auto';
    const askMe = (name: string, token: string) =>
      `echo "%%${name} $(curl -s $TASKFLOW_API_URL/api/me -H "Authorization: Bearer ${token}" | tr -d '\\n')"\n`;
    const printed = await type(
      `npm start\n${askMe('1', '$(cat data/local-token)')}` + // its text says no more
        steps.get(2)! +
        `echo "%%2 $(curl -s $TASKFLOW_API_URL/api/me)"\n${askMe('2b', '$(cat service_token)')}` +
        steps.get(3)! +
        `echo "%%5 "\n${steps.get(5)!}\n` +
        steps.get(6)! +
        `npm start\necho "%%7"\n${steps.get(7)!}\n` +
        `echo "%%8"\n${steps.get(8)!}\n` +
        `PROJECT=$(curl -s $TASKFLOW_API_URL/api/projects -H "Authorization: Bearer $(cat service_token)" ` +
        `-H 'content-type: application/json' -d '{"name":"x"}' | jq -r .project_id)\n` +
        `echo "%%10"\n${steps
          .get(10)!
          .replace('bubblewrap', isolation)
          .replace(/(npm run token.*)/, '$1 > made.json')}` +
        `npm start\n${askMe('new', '$(jq -r .token made.json)')}${askMe('old', '$(cat service_token)')}`,
    );
    const said = (name: string) => printed.split(`%%${name}`)[1]!.split('%%')[0]!;
    expect(JSON.parse(said('1 '))).toMatchObject({ kind: 'owner' });
    expect(JSON.parse(said('2 '))).toMatchObject({ code: 'unauthenticated' });
    expect(JSON.parse(said('2b '))).toMatchObject({ kind: 'token', name: 'service' });
    expect(said('5 ')).toContain(`"issuer":"${provider.issuer}"`);
    expect(said('7')).toContain(`resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`);
    expect(said('7')).toContain(`"authorization_servers":["${provider.issuer}"]`);
    expect(JSON.parse(said('8'))).toMatchObject({ kind: 'person', roles: ['read'], scopes: ['read'] });
    expect(JSON.parse(said('new '))).toMatchObject({ name: 'nightly build', projects: [expect.any(String)] });
    expect((JSON.parse(said('old ')) as Json).code).toBe('unauthenticated');
  }, 300_000);
});
