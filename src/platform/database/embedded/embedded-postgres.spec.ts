import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expectNoChildProcesses } from '../../../../test/support/leaks.js';
import { toAppError } from '../../errors/to-app-error.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { readPostmaster } from './postmaster.js';
import { identityOf } from './process-identity.js';
import { onlyWith } from '../../../../test/support/machine.js';

const isRoot = process.getuid?.() === 0;
let top: string;
let dataDir: string;
let cluster: string;

beforeAll(async () => {
  top = mkdtempSync(path.join(tmpdir(), 'taskyard-embedded-'));
  execFileSync('chmod', ['711', top]);
  dataDir = path.join(top, `it's the "data" $HOME`);
  await (await startEmbeddedPostgres(dataDir)).stop();
  cluster = path.join(realpathSync(dataDir), 'postgres', 'data');
});
afterEach(() => expectNoChildProcesses());
afterAll(() => {
  rmSync(top, { recursive: true, force: true });
});

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function whileRunning(work: (server: EmbeddedPostgres) => Promise<void>): Promise<void> {
  const server = await startEmbeddedPostgres(dataDir);
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

describe('the server', () => {
  it('is PostgreSQL on a socket that its own user alone can reach, durable, below a path with spaces and quotes', () =>
    whileRunning(async ({ url, adopted }) => {
      const [row] = await query(
        url,
        `SELECT
           current_setting('server_version_num')::int >= 150000 AS recent,
           current_setting('listen_addresses') AS listens,
           current_setting('max_connections') AS connections,
           current_setting('fsync') AS fsync,
           current_setting('data_directory') AS place,
           current_setting('server_encoding') AS encoding`,
      );
      expect(row).toEqual({
        recent: true,
        listens: '',
        connections: '200',
        fsync: 'on',
        place: cluster,
        encoding: 'UTF8',
      });
      expect(adopted).toBe(false);
      expect(statSync(path.join(cluster, '.s.PGSQL.5432')).isSocket()).toBe(true);
      expect(statSync(cluster).mode & 0o777).toBe(0o700);
    }));

  it('listens on loopback where the path of a socket would be too long, and is adopted there too', async () => {
    const far = path.join(top, 'far'.repeat(40));
    const [first, second] = [await startEmbeddedPostgres(far), await startEmbeddedPostgres(far)];
    expect(new URL(first.url).hostname).toBe('127.0.0.1');
    expect(second).toMatchObject({ url: first.url, adopted: true });
    const [row] = await query(
      second.url,
      `SELECT current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets`,
    );
    expect(row).toEqual({ listens: '127.0.0.1', sockets: '' });
    await first.stop();
    await second.stop();
    await expect(query(second.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('lets nobody in without the generated password, which only its owner can read', () =>
    whileRunning(async ({ url }) => {
      const passwordFile = path.join(dataDir, 'postgres', 'password');
      expect(statSync(passwordFile).mode & 0o777).toBe(0o600);
      expect(new URL(url).password).toBe(readFileSync(passwordFile, 'utf8'));
      const stranger = new URL(url);
      stranger.password = 'guess';
      await expect(query(stranger.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
      const [method] = await query(url, `SELECT DISTINCT auth_method FROM pg_hba_file_rules`);
      expect(method).toEqual({ auth_method: 'scram-sha-256' });
    }));

  it('keeps what was written when it is stopped and started again', async () => {
    await whileRunning(async ({ url }) => {
      await query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    });
    await whileRunning(async ({ url }) => {
      expect(await query(url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    });
  });

  it('has ended when stop returns, and stop may be called twice', async () => {
    const server = await startEmbeddedPostgres(dataDir);
    const { pid } = readPostmaster(cluster)!;
    await Promise.all([server.stop(), server.stop()]);
    expect(identityOf(pid)).toBeUndefined();
    const refused = await query(server.url, 'SELECT 1').catch((error: unknown) => error);
    expect(toAppError(refused)).toMatchObject({ code: 'database_unavailable' });
  });
});

describe('a server that runs already', () => {
  it('is adopted, and stopped by its last user only', async () => {
    const first = await startEmbeddedPostgres(dataDir);
    const second = await startEmbeddedPostgres(dataDir);
    expect(second).toMatchObject({ url: first.url, adopted: true });
    await first.stop();
    expect(await query(second.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await second.stop();
    await expect(query(second.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is made once when several start at the same time on an empty folder', async () => {
    const fresh = path.join(top, 'fresh');
    const servers = await Promise.all([1, 2, 3].map(() => startEmbeddedPostgres(fresh)));
    expect(servers.map(({ adopted }) => adopted).sort()).toEqual([false, true, true]);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
    await Promise.all(servers.map((server) => server.stop()));
    await expect(query(servers[0]!.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('what a crash leaves', () => {
  it('a pid that another program uses now is not taken for the server', async () => {
    const { uid, gid } = statSync(cluster);
    const bystander = spawn('sleep', ['60'], { uid, gid }); // of the same user: PostgreSQL itself would refuse to start
    const serverFile = path.join(cluster, 'postmaster.pid');
    let left = '';
    await whileRunning(() => Promise.resolve(void (left = readFileSync(serverFile, 'utf8'))));
    writeFileSync(serverFile, left.replace(/^\d+/, String(bystander.pid)));
    try {
      await whileRunning(async ({ url, adopted }) => {
        expect(adopted).toBe(false);
        expect(await query(url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
      });
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
    } finally {
      bystander.kill();
      await once(bystander, 'exit');
    }
  });

  it('a killed server is started again with all that was committed', async () => {
    const first = await startEmbeddedPostgres(dataDir);
    await query(first.url, 'CREATE TABLE survived AS SELECT 7 AS answer');
    process.kill(readPostmaster(cluster)!.pid, 'SIGKILL');
    const second = await startEmbeddedPostgres(dataDir);
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'SELECT answer FROM survived')).toEqual([{ answer: 7 }]);
    await second.stop();
    await first.stop();
  });

  it('half a cluster is removed and made again', async () => {
    const folder = path.join(top, 'half');
    mkdirSync(path.join(folder, 'postgres', 'data.abc123', 'base'), { recursive: true });
    const server = await startEmbeddedPostgres(folder);
    await server.stop();
    expect(existsSync(path.join(folder, 'postgres', 'data.abc123'))).toBe(false);
  });
});

describe('places and refusals', () => {
  it('works below a folder that only its owner may enter', async () => {
    const closed = path.join(top, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const server = await startEmbeddedPostgres(closed);
    expect(await query(server.url, 'SELECT 1 AS alive')).toEqual([{ alive: 1 }]);
    await server.stop();
    const home = path.join(closed, 'postgres');
    // Root hands over to a user who cannot enter: the link leads to a private place.
    expect(lstatSync(home).isSymbolicLink()).toBe(isRoot);
    if (isRoot) rmSync(readlinkSync(home), { recursive: true });
  });

  it('says in one line that a cluster of another release cannot be opened', async () => {
    const folder = path.join(top, 'older');
    mkdirSync(path.join(folder, 'postgres', 'data'), { recursive: true });
    writeFileSync(path.join(folder, 'postgres', 'data', 'PG_VERSION'), '9\n');
    writeFileSync(path.join(folder, 'postgres', 'password'), 'x');
    await expect(startEmbeddedPostgres(folder)).rejects.toThrow(
      /^.* was made by PostgreSQL 9, but only [\d, ]+ is here: install 9, or set DATABASE_URL\.$/,
    );
  });

  it('says in one line that the stored password was changed or lost, and leaves no server behind', async () => {
    const passwordFile = path.join(dataDir, 'postgres', 'password');
    renameSync(passwordFile, `${passwordFile}.kept`);
    try {
      await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(
        /^The password of the database .* cannot be read: .*$/,
      );
      writeFileSync(passwordFile, 'another');
      await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(
        /^The database in .* refuses the password stored beside it: .*$/,
      );
    } finally {
      renameSync(`${passwordFile}.kept`, passwordFile);
    }
  });

  onlyWith('mount').it('says in one line that the disk is full, and starts when there is space again', async () => {
    const disk = path.join(top, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=711', 'tmpfs', disk]);
    try {
      await expect(startEmbeddedPostgres(path.join(disk, 'data'))).rejects.toThrow(
        /^The disk that holds .* is full: .*$/,
      );
      execFileSync('mount', ['-o', 'remount,size=200m', disk]);
      await (await startEmbeddedPostgres(path.join(disk, 'data'))).stop();
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});
