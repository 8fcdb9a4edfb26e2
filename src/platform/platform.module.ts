import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AccessControl } from './access/access-control.js';
import { CredentialEnds } from './access/credential-ends.js';
import { OpenRequests } from './access/open-requests.js';
import { ChangeHub } from './database/change-hub.js';
import { type EntityClass, openDataSource } from './database/data-source.js';
import { DATA_SOURCE, Database } from './database/database.js';
import { ListenConnection } from './database/listen-connection.js';
import { HealthController } from './health/health.controller.js';
import { EventStreams } from './rest/event-streams.js';
import { Readiness } from './health/readiness.js';
import { PgBossTurnQueue } from './queue/pg-boss-turn-queue.js';
import { RunnerIdentity } from './queue/runner-identity.js';
import { openSandbox } from './sandbox/open-sandbox.js';
import { SANDBOX } from './sandbox/sandbox.js';
import { TURN_QUEUE, type TurnQueue } from './queue/turn-queue.js';

@Injectable()
class CloseConnections implements OnApplicationShutdown {
  constructor(
    @Inject(ListenConnection) private readonly connection: ListenConnection,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.queue.stop();
    await this.connection.close();
  }
}

/** What every part of the server stands on: settings, database, queue, access, probes. */
@Module({})
export class PlatformModule {
  static forServer(environment: Environment, databaseUrl: string, entities: EntityClass[]): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      controllers: [HealthController],
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        { provide: DATA_SOURCE, useFactory: () => openDataSource(databaseUrl, environment, entities) },
        { provide: RunnerIdentity, useFactory: () => new RunnerIdentity(environment.DATA_DIR) },
        {
          provide: ListenConnection,
          inject: [ChangeHub, RunnerIdentity],
          useFactory: (hub: ChangeHub, runner: RunnerIdentity) => openListener(environment, databaseUrl, hub, runner),
        },
        {
          provide: TURN_QUEUE,
          inject: [Database, ChangeHub, RunnerIdentity, ListenConnection],
          useFactory: (...parts: [Database, ChangeHub, RunnerIdentity]) => startQueue(databaseUrl, ...parts),
        },
        { provide: SANDBOX, useFactory: () => openSandbox(environment) },
        Database,
        ChangeHub,
        AccessControl,
        OpenRequests,
        { provide: CredentialEnds, inject: [ChangeHub], useFactory: (hub: ChangeHub) => new CredentialEnds(hub) },
        EventStreams,
        Readiness,
        CloseConnections,
      ],
      exports: [
        ...[ENVIRONMENT, TURN_QUEUE, SANDBOX, Database, ChangeHub],
        ...[AccessControl, CredentialEnds, EventStreams, OpenRequests, RunnerIdentity],
      ],
    };
  }
}

/** Also holds the runner's lock: without it this process must not run anything. */
async function openListener(
  environment: Environment,
  url: string,
  hub: ChangeHub,
  runner: RunnerIdentity,
): Promise<ListenConnection> {
  const connection = new ListenConnection(url, async (client) => {
    if (environment.ROLE !== 'api') await runner.hold(client);
    await hub.listen(client);
  });
  await connection.open();
  return connection;
}

async function startQueue(
  url: string,
  database: Database,
  hub: ChangeHub,
  runner: RunnerIdentity,
): Promise<PgBossTurnQueue> {
  const queue = new PgBossTurnQueue(url, database, hub, runner);
  await queue.start();
  return queue;
}
