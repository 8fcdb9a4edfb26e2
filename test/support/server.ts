import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import pg from 'pg';
import { type Environment, loadEnvironment } from '../../src/config/environment.js';
import { CLUSTER_SECRET, startClustered } from './clustered-server.js';
import { createTestDatabase, expectNoOpenTransactions, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { Gates } from './gates.js';
import { GitSandbox } from './git-repository.js';
import { HostedServer, startShared } from './hosted-server.js';
import { expectNoChildProcesses, tolerateBelow } from './leaks.js';
import { rememberToken } from './local-tokens.js';
import { McpClient } from './mcp-client.js';
import { RestClient } from './rest-client.js';

/** What runs: a started server, and how it is ended. */
export interface RunningServer {
  url: string;
  /** The process whose children are the server's. */
  pid: number;
  close(): Promise<void>;
}
export { CLUSTER_SECRET };
type Settings = Record<string, string>;
type Kind<S> = new (repositories?: GitSandbox) => S;

/** A whole server, as built, on a free port, with a database, a data folder and git repositories of its own. */
export class TestServer {
  url!: string;
  environment!: Environment;
  database!: TestDatabase;
  rest!: RestClient;
  readonly gates = new Gates();
  private server?: RunningServer;
  private isShared = false;
  private connections?: pg.Pool;
  private readonly clients: McpClient[] = [];
  /** Servers of this test file that run now; their child processes cannot be told apart. */
  private static running = 0;

  constructor(readonly repositories = new GitSandbox()) {}

  /** One server for all tests of the file, or of the `describe`, that asks for it. */
  static use<S extends TestServer>(this: Kind<S>, settings: Settings = {}): S {
    const server = new this();
    beforeAll(() => server.listen(settings));
    afterAll(() => server.stop());
    return server;
  }

  /** The server of this worker, which other files use, too: its projects, tasks and runs are not all of the test's own,
   *  and its settings are the defaults. */
  static share(): TestServer {
    const server = new TestServer();
    beforeAll(() => server.enterShared());
    afterAll(() => server.stop());
    return server;
  }

  /** For a fixture that leaves it with `stop`. */
  static async join(): Promise<TestServer> {
    const server = new TestServer();
    await server.enterShared();
    return server;
  }

  /** @param settings environment variables of this server, beyond DATA_DIR and a free PORT */
  static async start<S extends TestServer>(
    this: Kind<S>,
    settings: Settings = {},
    database?: TestDatabase,
    repositories?: GitSandbox,
  ): Promise<S> {
    const server = new this(repositories);
    await server.listen(settings, database);
    return server;
  }

  private async boot(settings: Settings, databaseUrl: string): Promise<RunningServer> {
    if (TestServer.running === 0) tolerateBelow((await HostedServer.look()).pid); // what an earlier file failed for
    const isSwitched = process.env.TEST_CLUSTER === 'on' && settings.ROLE === undefined;
    const start = (given: Settings, url: string) => this.startOne(given, url);
    return isSwitched ? startClustered(settings, databaseUrl, start) : start(settings, databaseUrl);
  }

  protected startOne(settings: Settings, databaseUrl: string): Promise<RunningServer> {
    return HostedServer.start(settings, databaseUrl);
  }

  private async listen(given: Settings, database?: TestDatabase): Promise<void> {
    await this.gates.listen();
    this.database = database ?? (await createTestDatabase());
    const DATA_DIR = given.DATA_DIR ?? mkdtempSync(path.join(tmpdir(), 'taskyard-data-'));
    const settings = { ...defaults(), ...given, DATA_DIR };
    this.enter(await this.boot(settings, this.database.url), settings);
  }

  private async enterShared(): Promise<void> {
    if (process.env.TEST_CLUSTER === 'on') return this.listen({});
    await this.gates.listen();
    const { pid, shared } = await HostedServer.look();
    tolerateBelow(pid);
    const { url, settings, databaseUrl } = shared ?? (await startShared(defaults()));
    this.isShared = true;
    this.database = { url: databaseUrl, drop: () => expectNoOpenTransactions(databaseUrl) };
    this.enter({ url, pid, close: () => Promise.resolve() }, settings);
  }

  private enter(server: RunningServer, settings: Settings): void {
    this.environment = loadEnvironment(settings);
    this.server = server;
    TestServer.running += 1;
    this.url = server.url;
    if (settings.ROLE !== 'api') rememberToken(server.url, settings.DATA_DIR!);
    this.rest = new RestClient(this.url);
  }

  /** An MCP client of this server, closed with it. @param query for example `?schema=oneof` */
  async mcp(query = '', path = '/mcp'): Promise<McpClient> {
    const client = await McpClient.connect(`${this.url}${path}${query}`);
    this.clients.push(client);
    return client;
  }

  /** Rows of one statement, asked beside the server. */
  async query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    this.connections ??= connectionsTo(this.database.url);
    return (await this.connections.query<T>(sql, values)).rows;
  }

  /** Ends the server in order, and removes nothing. @throws when it leaves a process */
  async close(): Promise<void> {
    await Promise.all(this.clients.splice(0).map((client) => client.close()));
    await this.connections?.end();
    this.connections = undefined;
    const { server } = this;
    if (!server) return; // it is closed already, or its start failed
    this.server = undefined;
    await server.close();
    TestServer.running -= 1;
    if (TestServer.running === 0) await expectNoChildProcesses(undefined, server.pid);
  }

  /** Ends the server in order and starts another one in its place, on the same database, data folder and
   *  repositories. */
  async restart(settings: Settings = {}): Promise<this> {
    await this.close();
    await this.listen({ ...settings, DATA_DIR: this.environment.DATA_DIR }, this.database);
    return this;
  }

  /** Ends the server and removes what it had. @throws when it leaves a process or an open transaction */
  async stop({ keepDatabase = false, keepFiles = false } = {}): Promise<void> {
    await this.close();
    this.gates.close();
    if (!keepDatabase) await this.database.drop();
    if (keepFiles) return;
    this.repositories.remove();
    if (!this.isShared) await eventually('an end of all writing', () => isRemoved(this.environment.DATA_DIR));
  }
}

/** False while a request that nobody waits for any more still writes there. */
export function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

const defaults = (): Settings => ({
  PATH: process.env.PATH!,
  PORT: '0',
  RUN_NETWORK: 'host', // gates
  LOG_LEVEL: 'silent',
  RATE_LIMIT_PER_MINUTE: '0',
  INTERNAL_PORT: '0',
  INTERNAL_ADDRESS: '127.0.0.1:0',
});

/** Four at most; a database that goes away in the middle of a test is what the test is about. */
function connectionsTo(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 4 });
  pool.on('error', () => undefined);
  return pool;
}
