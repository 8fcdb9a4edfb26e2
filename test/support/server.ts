import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../src/bootstrap.js';
import { type Environment, loadEnvironment } from '../../src/config/environment.js';
import { Database } from '../../src/platform/database/database.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { GitSandbox } from './git-repository.js';
import { expectNoChildProcesses } from './leaks.js';
import { McpClient } from './mcp-client.js';
import { RestClient } from './rest-client.js';

/** A whole server in this process, on a free port, with a database, a data folder and git repositories of its own. */
export class TestServer {
  app!: NestFastifyApplication;
  url!: string;
  environment!: Environment;
  database!: TestDatabase;
  rest!: RestClient;
  private readonly clients: McpClient[] = [];
  /** Servers of this test file that run now; their child processes cannot be told apart. */
  private static running = 0;

  private constructor(readonly repositories: GitSandbox) {}

  /** One server for all tests of the file, or of the `describe`, that asks for it. */
  static use(settings: Record<string, string> = {}): TestServer {
    const server = new TestServer(new GitSandbox());
    beforeAll(() => server.listen(settings));
    afterAll(() => server.stop());
    return server;
  }

  /** @param settings environment variables of this server, beyond DATA_DIR and a free PORT */
  static async start(
    settings: Record<string, string> = {},
    database?: TestDatabase,
    repositories = new GitSandbox(),
  ): Promise<TestServer> {
    const server = new TestServer(repositories);
    await server.listen(settings, database);
    return server;
  }

  private async listen(settings: Record<string, string>, database?: TestDatabase): Promise<void> {
    this.database = database ?? (await createTestDatabase());
    this.environment = loadEnvironment({
      PATH: process.env.PATH,
      PORT: '0',
      LOG_LEVEL: 'silent',
      RATE_LIMIT_PER_MINUTE: '0',
      ...settings,
      DATA_DIR: settings.DATA_DIR ?? mkdtempSync(path.join(tmpdir(), 'taskyard-data-')),
    });
    this.app = await createApp(this.environment, this.database.url);
    await this.app.listen(0, '127.0.0.1');
    TestServer.running += 1;
    this.url = await this.app.getUrl();
    this.rest = new RestClient(this.url);
  }

  /** An MCP client of this server, closed with it. @param query for example `?schema=oneof` */
  async mcp(query = '', path = '/mcp'): Promise<McpClient> {
    const client = await McpClient.connect(`${this.url}${path}${query}`);
    this.clients.push(client);
    return client;
  }

  query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    return this.app.get(Database).query<T>(sql, values);
  }

  /** Ends the server in order and starts another one in its place, on the same database, data folder and
   *  repositories. */
  async restart(settings: Record<string, string> = {}): Promise<this> {
    await this.stop({ keepDatabase: true, keepFiles: true });
    await this.listen({ ...settings, DATA_DIR: this.environment.DATA_DIR }, this.database);
    return this;
  }

  /** Ends the server and removes what it had. @throws when it leaves a process or an open transaction */
  async stop({ keepDatabase = false, keepFiles = false } = {}): Promise<void> {
    await Promise.all(this.clients.splice(0).map((client) => client.close()));
    if (!this.app) return; // the start failed
    await this.app.close();
    TestServer.running -= 1;
    if (TestServer.running === 0) await expectNoChildProcesses();
    if (!keepDatabase) await this.database.drop();
    if (keepFiles) return;
    this.repositories.remove();
    rmSync(this.environment.DATA_DIR, { recursive: true, force: true });
  }
}
