import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { urlOf } from '../../src/platform/database/embedded/connection-check.js';
import { readPostmaster } from '../../src/platform/database/embedded/postmaster.js';
import { allRawLines, givenEndedAttempt, givenProject, type Project } from './board.js';
import { TestCell } from './cell.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { processesTyped } from './eventually.js';
import { GitSandbox } from './git-repository.js';
import { McpClient } from './mcp-client.js';
import { RestClient } from './rest-client.js';
import { type ServerExit, ServerProcess } from './server-process.js';

/** Its exit code upon SIGTERM. */
const ENDED_IN_ORDER = 0;

/** A script of an attacker, which succeeds where it does what it is to do. */
export type Attack = readonly [name: string, script: () => string];

/** A script that leaves a process behind, which sleeps for so long. */
export type WayOut = readonly [name: string, leave: (seconds: string) => string];

/** What attackers face: the built server as a process of its own on loopback, with a real database. */
export class AttackGround {
  server!: ServerProcess;
  /** The caller that the server belongs to. */
  rest!: RestClient;
  kanban!: McpClient;
  readonly repositories = new GitSandbox();
  /** The part of them that callers may name, where REPOSITORY_ROOTS does. */
  readonly rooted = new GitSandbox(this.repositories.path('roots'));
  readonly dataDir = mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
  database?: TestDatabase;
  private cell?: TestCell;
  private readonly clients: McpClient[] = [];

  private constructor(readonly settings: Record<string, string>) {}

  /** One for all attacks of the file, or of the `describe`, that asks for it.
   *  @param settings with `DATABASE_URL` empty the server has an embedded database of its own
   *  @param prepare makes what the settings name */
  static use(settings: Record<string, string> = {}, prepare?: (ground: AttackGround) => void): AttackGround {
    const ground = new AttackGround(settings);
    beforeAll(async () => {
      prepare?.(ground);
      await ground.start();
    }, 60_000);
    afterAll(() => ground.close(), 60_000);
    return ground;
  }

  /** The same, where callers may name repositories below `rooted` alone. */
  static useRoot(settings: Record<string, string>): AttackGround {
    return AttackGround.use(settings, (ground) => {
      mkdirSync(ground.rooted.dir);
      ground.settings.REPOSITORY_ROOTS = ground.rooted.dir;
    });
  }

  /** For an attack that needs one of its own, which it closes. */
  static async open(settings: Record<string, string>): Promise<AttackGround> {
    const ground = new AttackGround(settings);
    await ground.start();
    return ground;
  }

  /** A project with a repository below the root. */
  rootedProject(files?: Record<string, string>): Promise<Project> {
    return givenProject({ rest: this.rest, repositories: this.rooted }, { files });
  }

  get url(): string {
    return this.server.url;
  }

  /** Where the embedded database says that it listens, for its owner without a password. */
  databaseUrl(): string {
    const cluster = path.join(realpathSync(path.join(this.dataDir, 'postgres')), 'data');
    return urlOf(readPostmaster(cluster)!, '');
  }

  /** Runs the scripts of attackers one after the other, in one run, and one that nobody keeps from what it does.
   *  @returns the names of those that did what they were to do */
  async through(project_id: string, attacks: readonly Attack[]): Promise<string[]> {
    const lines = attacks.map(([, script], at) => `(${script()}) && echo THROUGH ${at}`);
    const all = ['cat readme.md && echo ALLOWED', ...lines, 'echo ENDED'].join('\n');
    const { attempt_id } = await givenEndedAttempt(this.kanban, project_id, all);
    const said = await allRawLines(this.kanban, attempt_id as string);
    expect(said).toEqual(expect.arrayContaining(['ALLOWED', 'ENDED']));
    return attacks.filter((_, at) => said.includes(`THROUGH ${at}`)).map(([name]) => name);
  }

  /** Leaves processes behind in all of these ways, in one run.
   *  @returns the names of those by which one outlived it */
  async outliving(project_id: string, ways: readonly WayOut[]): Promise<string[]> {
    const seconds = (at: number): string => `7${process.pid}${at}`;
    const script = ways.map(([, leave], at) => `(${leave(seconds(at))}; echo left)`).join('\n');
    const { attempt_id, state } = await givenEndedAttempt(this.kanban, project_id, script);
    expect(state).toBe('completed');
    expect(await allRawLines(this.kanban, attempt_id as string)).toEqual(ways.map(() => 'left'));
    return ways.filter((_, at) => processesTyped(`sleep ${seconds(at)}`).length > 0).map(([name]) => name);
  }

  private async start(): Promise<void> {
    if (this.settings.ISOLATION === 'container') await this.startCell();
    if (this.settings.DATABASE_URL === undefined) this.database = await createTestDatabase();
    this.server = await ServerProcess.start(
      {
        LOG_LEVEL: 'warn',
        ISOLATION: 'none', // what holds without walls holds behind them
        RATE_LIMIT_PER_MINUTE: '0',
        DATA_DIR: this.dataDir,
        DATABASE_URL: this.database?.url ?? '',
        ...this.settings,
      },
      this.repositories,
    );
    const token = this.settings.TASKFLOW_SERVICE_TOKEN;
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
    this.rest = new RestClient(this.url, headers);
    this.kanban = await this.mcp('/mcp', headers);
  }

  /** The container for runs, where they have one. */
  private async startCell(): Promise<void> {
    this.cell = new TestCell({ dataDir: this.dataDir, readable: [this.repositories.dir] });
    await this.cell.start();
    this.settings.CELL_SOCKET = this.cell.socket;
  }

  async mcp(place: string, headers: Record<string, string> = {}): Promise<McpClient> {
    const client = await McpClient.connect(`${this.url}${place}`, headers);
    this.clients.push(client);
    return client;
  }

  /** Another server on the same database that is expected to end by itself. */
  runOther(settings: Record<string, string>): Promise<ServerExit> {
    return ServerProcess.run({ ...this.server.settings, ...settings });
  }

  query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.server.query<T>(sql, values);
  }

  /** @throws where the server did not survive the attacks */
  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    if (this.server) {
      const { code, output } = await this.server.end();
      if (code !== ENDED_IN_ORDER) throw new Error(`the server ended with ${code}: ${output}`);
    }
    await this.cell?.remove();
    await this.database?.drop();
    this.repositories.remove();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

/** A line of shell that runs this code. */
export const node = (code: string): string => `'${process.execPath}' -e "${code}"`;
