import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../../src/bootstrap.js';
import { loadEnvironment } from '../../src/config/environment.js';
import { Board } from './board-fixture.js';
import { type RunningServer, TestServer } from './server.js';

declare global {
  /** A package as such a server has it. */
  function importBuilt<M>(name: string): Promise<M>;
  /** What such a server knows as `Date`, `Error` and `process`: a test file has others of its own. */
  const builtGlobals: typeof globalThis;
}

/** A server in the test's own process, for tests that look inside. */
export class InProcessServer extends TestServer {
  app!: NestFastifyApplication;

  protected override async startOne(settings: Record<string, string>, databaseUrl: string): Promise<RunningServer> {
    this.app = await createApp(loadEnvironment(settings), databaseUrl);
    await this.app.listen(settings.PORT!, '127.0.0.1');
    return { url: await this.app.getUrl(), pid: process.pid, close: () => this.app.close() };
  }
}

/** A board on such a server. */
export class InProcessBoard extends Board {
  declare server: InProcessServer;

  protected override startServer(settings: Record<string, string>): Promise<InProcessServer> {
    return InProcessServer.start(settings);
  }
}
