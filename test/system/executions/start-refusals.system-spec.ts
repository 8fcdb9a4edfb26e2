import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase } from '../../support/database.js';
import { ServerProcess } from '../../support/server-process.js';

const TOKEN = 'open sesame, and be long enough for it';

describe('the start', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-start-'));
  });
  afterEach(async () => {
    await ServerProcess.endLeft();
    rmSync(folder, { recursive: true });
  });

  const inFolder = (name: string, content?: string): string => {
    const file = path.join(folder, name);
    if (content !== undefined) writeFileSync(file, content);
    return file;
  };

  /** What a start says that is refused: one line, and exit code 1. */
  async function refusal(settings: Record<string, string>): Promise<string> {
    const { code, output } = await ServerProcess.run({ DATA_DIR: inFolder('data'), ...settings });
    expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringMatching(/^taskyard: /)]]);
    return output.trim();
  }

  it.each([
    [{ HOST: '0.0.0.0' }, /HOST=0\.0\.0\.0 .*TASKFLOW_SERVICE_TOKEN/],
    [{ HOST: '0.0.0.0', TASKFLOW_SERVICE_TOKEN: 'hidden' }, /HOST=0\.0\.0\.0 .*fewer than 32 characters/],
    [{ HOST: '::' }, /HOST=:: .*TASKFLOW_SERVICE_TOKEN/],
    [{ PORT: 'eighty' }, /PORT="eighty" is not valid: must be a whole number from 0 to 65535/],
    [{ PORT: '70000' }, /PORT="70000"/],
    [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL="loud".*must be one of fatal/],
    [{ MAX_CONCURRENT_EXECUTIONS: '0' }, /MAX_CONCURRENT_EXECUTIONS="0"/],
    [
      { TASKFLOW_SERVICE_TOKEN_FILE: '/nowhere/token' },
      /TASKFLOW_SERVICE_TOKEN_FILE="\/nowhere\/token" cannot be read/,
    ],
    [{ DATABASE_URL: 'no address' }, /DATABASE_URL cannot be used: it must look like postgres:/],
    [{ DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/none' }, /DATABASE_URL cannot be used: .*ECONNREFUSED/],
    [{ DATA_DIR: '/dev/null/data' }, /DATA_DIR="\/dev\/null\/data" cannot be used: .*ENOTDIR/],
  ])('refuses %j with one line that names the variable', async (settings, expected) => {
    const said = await refusal(settings);
    expect(said).toMatch(expected);
    expect(said).not.toContain('hidden');
  });

  it('refuses an address where somebody listens', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    expect(await refusal({ PORT: String(port) })).toMatch(
      new RegExp(`PORT="${port}" cannot be listened on: .*EADDRINUSE`),
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it('reads secrets from files, and beyond loopback asks for the token everywhere but at the probes', async () => {
    const database = await createTestDatabase();
    const server = await ServerProcess.start({
      DATA_DIR: inFolder('data'),
      HOST: '0.0.0.0',
      DATABASE_URL_FILE: inFolder('url', `${database.url}\n`),
      TASKFLOW_SERVICE_TOKEN_FILE: inFolder('token', `${TOKEN}\n`),
    });
    const port = new URL(server.url).port;
    const status = async (route: string, token?: string) =>
      (await fetch(`http://127.0.0.1:${port}${route}`, { headers: token ? { authorization: `Bearer ${token}` } : {} }))
        .status;
    expect(await status('/api/projects')).toBe(401);
    expect(await status('/api/projects', 'open')).toBe(401);
    expect(await status('/api/projects', TOKEN)).toBe(200);
    expect(await Promise.all(['/health/live', '/health/ready', '/metrics'].map((route) => status(route)))).toEqual([
      200, 200, 401,
    ]);
    expect((await server.end()).output).not.toContain('sesame');
    await database.drop();
    server.repositories.remove();
  });
});
