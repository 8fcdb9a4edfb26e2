import path from 'node:path';
import type { Type } from '@nestjs/common';
import type * as Nest from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type * as Bootstrap from '../../src/bootstrap.js';
import type * as Settings from '../../src/config/environment.js';
import { Board } from './board-fixture.js';
import { type RunningServer, TestServer } from './server.js';

declare global {
  /** What the worker process itself has, by `native-environment.mjs`. */
  var native: { import: (file: string) => Promise<unknown>; Date: DateConstructor; env: NodeJS.ProcessEnv };
}

/** A server in the test's own process, for tests that look inside. Node loads it as built, once a worker: what a test
 *  imports from `src` is not what this server runs. */
export class InProcessServer extends TestServer {
  app!: NestFastifyApplication;
  private parts!: ReadonlyMap<string, Type>;

  protected override async boot(settings: Record<string, string>, databaseUrl: string): Promise<RunningServer> {
    const { createApp } = await built<typeof Bootstrap>('bootstrap.js');
    const { loadEnvironment } = await built<typeof Settings>('config/environment.js');
    this.app = await createApp(loadEnvironment(settings), databaseUrl);
    this.parts = await partsOf(this.app);
    await this.app.listen(0, '127.0.0.1');
    return { url: await this.app.getUrl(), pid: process.pid, close: () => this.app.close() };
  }

  /** A part of it by the name of its class, or of its symbol. @throws where it has none */
  part<T>(name: string): T {
    const token = this.parts.get(name);
    if (!token) throw new Error(`This server has no ${name}.`);
    return this.app.get<T>(token, { strict: false });
  }
}

/** A board on such a server. */
export class InProcessBoard extends Board {
  declare server: InProcessServer;

  protected override startServer(settings: Record<string, string>): Promise<InProcessServer> {
    return InProcessServer.start(settings);
  }
}

const built = <Module>(file: string): Promise<Module> =>
  native.import(path.join(import.meta.dirname, '../../dist/src', file)) as Promise<Module>;

/** What the container asks for each part with, by its name. */
async function partsOf(app: NestFastifyApplication): Promise<ReadonlyMap<string, Type>> {
  const { ModulesContainer } = (await native.import('@nestjs/core')) as typeof Nest;
  const tokens = [...app.get(ModulesContainer).values()].flatMap(({ providers }) => [...providers.keys()] as Type[]);
  return new Map(tokens.map((token) => [nameOf(token), token]));
}

const nameOf = (token: Type | symbol): string => (typeof token === 'symbol' ? (token.description ?? '') : token.name);
