import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { ownPort } from '../../support/own-port.js';
import { OidcProvider, PAGE } from '../../support/oidc-provider.js';
import { Program } from '../../support/program.js';
import { FragileLine } from '../../support/fragile-line.js';
import { onlyWith } from '../../support/machine.js';

const SECRET = 'hunter2-is-the-password';

describe('npm run doctor', () => {
  const ground = mkdtempSync(path.join(tmpdir(), 'taskyard-doctor-'));
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(ground, { recursive: true, force: true });
  });

  const examine = async (settings: Record<string, string>) => {
    const program = Program.start('doctor', [], { DATA_DIR: path.join(ground, 'data'), ...settings });
    return { code: await program.ended, said: program.stdout + program.stderr };
  };

  it('finds no fault in a set-up that works, before a server runs', async () => {
    const { code, said } = await examine({ DATABASE_URL: database.url, ISOLATION: 'none' });
    expect(said).toMatch(/^ok +database: it answers$/m);
    expect(said).toMatch(/^ok +session pooling: each connection is a session of its own$/m);
    expect(said).toMatch(/^ok +clock: \d+ ms (ahead of|behind) the clock of the database$/m);
    expect(said).toMatch(/^ok +schema: no migration is missing$/m);
    expect(said).toMatch(/^ok +git: git \d/m);
    expect(said).toMatch(/^ok +disk: [\d.]+ GiB free/m);
    expect(said).toMatch(/^WARNING isolation: .*\n +→ Install bubblewrap/m);
    expect([code, /(\d+) faults/.exec(said)?.[1]]).toEqual([0, '0']);
  });

  it('goes the way of a sign-in as far as nobody has to type', async () => {
    const provider = await OidcProvider.start();
    const PUBLIC_URL = 'https://taskyard.example';
    provider.serves(`${PUBLIC_URL}/ui`);
    const settings = {
      DATABASE_URL: database.url,
      PUBLIC_URL,
      OIDC_ISSUER: provider.issuer,
      OIDC_ROLES: '*=read',
      OIDC_CLIENT_ID: PAGE.client_id,
    };
    const { said } = await examine({ ...settings, OIDC_CLIENT_SECRET: PAGE.client_secret });
    expect(said).toMatch(/^ok +sign-in: the provider knows page; people come back to \S+\/ui\/callback$/m);
    const { code, said: wrong } = await examine({ ...settings, OIDC_CLIENT_SECRET: SECRET });
    expect(wrong).toMatch(/^FAULT +sign-in: .*OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is wrong/m);
    expect([code, wrong.includes(SECRET)]).toEqual([1, false]);
    await provider.stop();
  });

  it('names every fault of a broken set-up with its cure, tells no secret, and ends with 1', async () => {
    const bin = path.join(ground, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n');
    chmodSync(path.join(bin, 'git'), 0o755);
    symlinkSync('/bin/sh', path.join(bin, 'sh'));
    const { code, said } = await examine({
      PATH: bin,
      ISOLATION: 'bubblewrap',
      HOST: '0.0.0.0',
      TASKFLOW_SERVICE_TOKEN: SECRET.slice(0, 20),
      DATABASE_URL: `postgres://someone:${SECRET}@127.0.0.1:1/nothing`,
      AGENT_API_URL: 'http://no-such-host.invalid:8000',
      OIDC_ISSUER: 'http://127.0.0.1:1',
      OIDC_ROLES: '*=read',
      PUBLIC_URL: 'http://127.0.0.1:8000',
    });
    for (const about of ['settings', 'git', 'isolation', 'database', 'issuer'])
      expect(said).toMatch(new RegExp(`^FAULT +${about}: .*\n +→ \\S`, 'm'));
    expect(said).toMatch(/^WARNING AGENT_API_URL: no-such-host\.invalid cannot be resolved/m);
    expect(said).not.toContain('hunter2');
    expect(code).toBe(1);
  });

  it('looks whether the living runners are found by their addresses', async () => {
    await enrol(database.url, { r1: 'no-such-host.invalid:8002', r2: '127.0.0.1:8002' });
    const { said } = await examine({
      DATABASE_URL: database.url,
      ROLE: 'api',
      TASKFLOW_SERVICE_TOKEN: SECRET.repeat(2),
    });
    expect(said).toMatch(/^WARNING runner r1: no-such-host\.invalid cannot be resolved.*\n +→ .*INTERNAL_ADDRESS/m);
    expect(said).toMatch(/^ok +runner r2: 127\.0\.0\.1 is 127\.0\.0\.1$/m);
  });

  it('says which setting is not valid, without its value', async () => {
    const { code, said } = await examine({ DATABASE_POOL_SIZE: SECRET });
    expect(said).toMatch(/^FAULT +settings: DATABASE_POOL_SIZE is not valid: must be a whole number/m);
    expect([code, said.includes(SECRET)]).toEqual([1, false]);
  });

  it('says that a server which accepts and is silent does not answer', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { code, said } = await examine({
      DATABASE_URL: `postgres://a:${SECRET}@127.0.0.1:${port}/a`,
      ROLE: 'runner',
    });
    silent.close();
    expect(said).toMatch(/^FAULT +database: /m);
    expect([code, said.includes(SECRET)]).toEqual([1, false]);
  });

  onlyWith('pgbouncer').describe('tells a pooler by what it does', () => {
    it.each([
      [
        'transaction',
        1,
        /^FAULT +session pooling: .*\n +→ Connect to PostgreSQL directly, or set pool_mode = session/m,
      ],
      ['session', 0, /^ok +session pooling:/m],
    ])('in %s mode', async (mode, expected, line) => {
      const pooler = await startPooler(mode, database.url, path.join(ground, mode));
      try {
        const { code, said } = await examine({ DATABASE_URL: pooler.url, ISOLATION: 'none' });
        expect(said).toMatch(line);
        expect(code).toBe(expected);
      } finally {
        await pooler.stop();
      }
    });
  });
});

/** Rows of runners that live now, as they write them. */
async function enrol(url: string, addresses: Record<string, string>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const [id, address] of Object.entries(addresses))
    await client.query(
      `INSERT INTO runners (runner_id, incarnation, role, address, version, slots, isolation, limits, secret_print)
       VALUES ($1, gen_random_uuid(), 'runner', $2, '0', 1, 'none', '{}', '')`,
      [id, address],
    );
  await client.end();
}

/** PgBouncer in front of a database. It refuses to run as root. */
async function startPooler(mode: string, databaseUrl: string, folder: string) {
  const line = await FragileLine.open(); // the pooler's user cannot reach a socket of the database's own
  line.lead(databaseUrl);
  const target = new URL(line.addressFor(databaseUrl));
  const port = await ownPort();
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  chmodSync(path.dirname(folder), 0o755);
  const ini = path.join(folder, 'pgbouncer.ini');
  const { username, password } = target;
  const upstream = `host=${target.hostname} port=${target.port} user=${username}${password && ` password=${password}`}`;
  writeFileSync(
    ini,
    `[databases]\n* = ${upstream}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nauth_type = any\n` +
      `pool_mode = ${mode}\nunix_socket_dir =\n`,
  );
  const child = spawn('pgbouncer', ['-u', 'nobody', ini], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await eventually('the pooler', () => said.includes('process up') || (child.exitCode !== null && fail(said)));
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    await line.close();
  };
  return { url: `postgres://${username}@127.0.0.1:${port}${target.pathname}`, stop };
}

function fail(said: string): never {
  throw new Error(`the pooler ended: ${said}`);
}
