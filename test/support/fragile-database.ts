import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/migration/migrate.js';
import { eventually, isLive } from './eventually.js';
import { FragileLine } from './fragile-line.js';
import { tolerate } from './leaks.js';

/** A PostgreSQL of its own that can be killed, frozen and cut off, behind an address that stays the same. */
export class FragileDatabase {
  private readonly holders: EmbeddedPostgres[] = [];
  private readonly lines: FragileLine[] = [];

  private constructor(
    private readonly folder: string,
    readonly line: FragileLine,
  ) {}

  static async start(): Promise<FragileDatabase> {
    const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-fragile-'));
    chmodSync(folder, 0o711); // the database user passes through it
    const database = new FragileDatabase(folder, await FragileLine.open());
    await database.startAgain();
    await migrate(database.url);
    return database;
  }

  /** As a server uses it: through the line. */
  get url(): string {
    return this.line.addressFor(this.directUrl);
  }

  /** One more line, for one of several who use it. */
  async openLine(): Promise<FragileLine> {
    const line = await FragileLine.open();
    line.lead(this.directUrl);
    this.lines.push(line);
    return line;
  }

  async startAgain(): Promise<void> {
    this.holders.push(await startEmbeddedPostgres(this.folder));
    [this.line, ...this.lines].forEach((line) => line.lead(this.directUrl));
    tolerate(this.pids()[0]!);
  }

  /** `kill -9` of the server and all its processes. */
  async kill(): Promise<void> {
    this.freeze();
    const pids = this.pids();
    pids.forEach((pid) => signal(pid, 'SIGKILL'));
    await eventually('the end of the database', () => !pids.some(isLive));
  }

  /** It holds its connections and answers nothing. */
  freeze(): void {
    signal(this.postmaster, 'SIGSTOP'); // it forks nothing more
    this.pids().forEach((pid) => signal(pid, 'SIGSTOP'));
  }

  thaw(): void {
    this.pids().forEach((pid) => signal(pid, 'SIGCONT'));
  }

  addressOver(line: FragileLine): string {
    return line.addressFor(this.directUrl);
  }

  /** Past the line, in whatever state that is. */
  async query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.directUrl });
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as T[];
    } finally {
      await client.end();
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.line, ...this.lines].map((line) => line.close()));
    this.thaw();
    const pids = this.pids();
    for (const holder of this.holders) await holder.stop();
    await eventually('the end of the database', () => !pids.some(isLive));
    rmSync(this.folder, { recursive: true });
  }

  private get directUrl(): string {
    return this.holders.at(-1)!.url;
  }

  private get postmaster(): number {
    const file = readFileSync(path.join(this.folder, 'postgres/data/postmaster.pid'), 'utf8');
    return Number(file.split('\n')[0]);
  }

  private pids(): number[] {
    const { postmaster } = this;
    return [postmaster, ...childrenOf(postmaster)].filter(isLive);
  }
}

/** Its processes come and go: one may have ended since it was listed. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  } catch {
    return -1;
  }
}
