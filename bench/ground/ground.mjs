import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../dist/src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../dist/src/migration/migrate.js';
import { owners } from '../measure/connection.mjs';
import { MeasuredProcess } from '../measure/measured-process.mjs';

const main = path.join(import.meta.dirname, '../../dist/bundle/main.js');
const floors = path.join(import.meta.dirname, '../floors/floor-server.mjs');
/** What the greeting says of the address, whatever the role. */
const READY = /(?:MCP|Probes) +(http:\S+)\/(?:mcp|health\/ready)/;

/** A temporary folder, a PostgreSQL (DATABASE_URL or the embedded one), and what a bar starts on them. */
export class Ground {
  #processes = [];
  #clients = [];
  #databases = [];
  #postgres;

  static async open() {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-bench-'));
    chmodSync(folder, 0o711); // the embedded database may run as another user, who passes through
    const postgres = process.env.DATABASE_URL
      ? { url: process.env.DATABASE_URL, stop: async () => {} }
      : await startEmbeddedPostgres(path.join(folder, 'postgres'));
    return new Ground(folder, postgres);
  }

  constructor(folder, postgres) {
    this.folder = folder;
    this.#postgres = postgres;
  }

  /** An empty folder of its own. */
  place(name) {
    const place = path.join(this.folder, `${name}-${randomBytes(3).toString('hex')}`);
    mkdirSync(place);
    return place;
  }

  /** A connection, closed with the bar. */
  async connect(url = this.#postgres.url) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  /** A migrated database of its own. @returns its URL */
  async database() {
    const name = `taskyard_bench_${randomBytes(4).toString('hex')}`;
    const admin = await this.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    this.#databases.push(name);
    const url = new URL(this.#postgres.url);
    url.pathname = `/${name}`;
    await migrate(url.href);
    return url.href;
  }

  /** The built server, as `npm start` runs it, with its `data` folder. @param more settings */
  async server(databaseUrl, more = {}) {
    const settings = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: this.place('data'),
      RATE_LIMIT_PER_MINUTE: '0',
      SHELL_EXECUTOR: 'on',
      ...more,
    };
    const started = await this.#keep(MeasuredProcess.start(main, settings, READY));
    const token = path.join(settings.DATA_DIR, 'local-token');
    const authorization = existsSync(token) && `Bearer ${readFileSync(token, 'utf8').trim()}`;
    if (authorization) owners.set(new URL(started.url).origin, { authorization });
    return Object.assign(started, { data: settings.DATA_DIR });
  }

  /** The same with the database it brings along, on a folder that may be used again. */
  embeddedServer(data) {
    return this.#keep(MeasuredProcess.start(main, { HOST: '127.0.0.1', PORT: '0', DATA_DIR: data }, READY));
  }

  floorServer(databaseUrl) {
    return this.#keep(MeasuredProcess.start(floors, { DATABASE_URL: databaseUrl }));
  }

  /** The machine and the day. */
  async facts() {
    const client = await this.connect();
    const {
      rows: [{ server_version }],
    } = await client.query('SHOW server_version');
    const [{ model }] = cpus();
    return {
      day: new Date().toISOString().slice(0, 10),
      machine: `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
      load: `${loadavg()[0].toFixed(1)} at the end`,
      'Node.js': process.version,
      PostgreSQL: `${server_version}, ${process.env.DATABASE_URL ? 'DATABASE_URL' : 'the embedded one'}`,
    };
  }

  /** Ends what a bar has started, so that the next one is alone. */
  async clear() {
    await Promise.all(this.#processes.splice(0).map((process) => process.stop()));
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
    const admin = await this.connect();
    for (const name of this.#databases.splice(0)) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await rest(admin);
    await Promise.all(this.#clients.splice(0).map((client) => client.end()));
  }

  async close() {
    await this.clear();
    await this.#postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #keep(starting) {
    const started = await starting;
    this.#processes.push(started);
    return started;
  }
}

/** What a bar has written is on disk, and nobody cleans up behind it while the next one measures. */
async function rest(admin) {
  await admin.query('CHECKPOINT');
  const cleaners = "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'";
  while ((await admin.query(cleaners)).rowCount > 0) await wait(100);
}
