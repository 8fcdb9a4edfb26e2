import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { McpClient } from '../../support/mcp-client.js';
import { Program } from '../../support/program.js';
import { sendLegacy } from '../../support/rpc.js';
import { TestServer } from '../../support/server.js';

const start = (settings: Record<string, string>) => Program.start('gateway', [], { MCP_PORT: '0', ...settings });
const READY = /gateway is ready.*\n +(http:\/\/\S+)\/mcp /;

const TOKEN = 'shared-by-the-server-and-its-gateway';

describe('npm run start:mcp', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ TASKFLOW_SERVICE_TOKEN: TOKEN });
  });
  afterAll(() => server.stop()); // which finds processes that are left

  it('SC-005: starts and accepts connections on the configured port', async () => {
    const gateway = start({
      TASKFLOW_API_URL: server.url.replace('127.0.0.1', 'localhost'),
      TASKFLOW_SERVICE_TOKEN: TOKEN,
      MCP_HOST: '127.0.0.1',
    });
    const [, url] = await gateway.says(READY);
    const client = await McpClient.connect(`${url}/mcp`, { authorization: `Bearer ${TOKEN}` });
    expect(await client.call('list_projects')).toMatchObject({ projects: [] });
    await client.close();
    expect(await gateway.end()).toBe(128 + 15);
    expect(gateway.stderr).toBe('');
  });

  it('listens on every address only where it has a token', async () => {
    const guarded = start({ TASKFLOW_API_URL: server.url, TASKFLOW_SERVICE_TOKEN: TOKEN });
    const [, everywhere] = await guarded.says(READY);
    const port = new URL(everywhere!).port;
    expect(
      (await sendLegacy(`http://127.0.0.1:${port}/mcp`, 'tools/list', {}, { authorization: `Bearer ${TOKEN}` })).status,
    ).toBe(200);
    const table = listeners(Number(port));
    await guarded.end();

    const open = start({ TASKFLOW_API_URL: server.url });
    const [, here] = await open.says(READY);
    const openTable = listeners(Number(new URL(here!).port));
    expect(here).toMatch(/^http:\/\/127\.0\.0\.1:/);
    await open.end('SIGINT');
    expect(open.stderr).toBe(
      'taskyard: MCP_HOST=0.0.0.0 is open to the network and TASKFLOW_SERVICE_TOKEN is not set: ' +
        'listening on 127.0.0.1 only\n',
    );
    expect([table, openTable]).toEqual([['00000000'], ['0100007F']]);
  });

  it.each([
    [{ MCP_PORT: 'http' }, /^taskyard: MCP_PORT="http" is not valid: must be a whole number/],
    [
      { TASKFLOW_API_URL: 'localhost:8000' },
      /^taskyard: TASKFLOW_API_URL="localhost:8000" is not valid: must be an http or https URL/,
    ],
    [{ TASKFLOW_SERVICE_TOKEN: 'short' }, /^taskyard: MCP_HOST=0\.0\.0\.0 is open to the network: .*fewer than 32/],
    [{ MCP_HOST: '192.0.2.1', TASKFLOW_SERVICE_TOKEN: TOKEN }, /^taskyard: listen EADDRNOTAVAIL/],
  ])('refuses to start with %j in one line', async (settings, line) => {
    const gateway = start(settings);
    expect(await gateway.ended).toBe(1);
    expect(gateway.stderr).toMatch(line);
    expect(gateway.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('refuses to start where the port is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const gateway = start({ MCP_HOST: '127.0.0.1', MCP_PORT: String(port) });
    expect(await gateway.ended).toBe(1);
    expect(gateway.stderr).toMatch(/^taskyard: listen EADDRINUSE.*\n$/);
    holder.close();
  });
});

/** Local IPv4 addresses (hex, as the kernel writes them) on which somebody listens on the port. */
function listeners(port: number): string[] {
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/));
  return rows
    .filter(
      ([, local, , state]) => state === '0A' && local!.endsWith(`:${port.toString(16).toUpperCase().padStart(4, '0')}`),
    )
    .map(([, local]) => local!.split(':')[0]!);
}
