import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AccessControl } from './access/access-control.js';
import { CredentialEnds } from './access/credential-ends.js';
import { OpenRequests } from './access/open-requests.js';
import { PROCESSES, RunnerLease } from './cluster/runner-lease.js';
import { RunnersRepository } from './cluster/runners.repository.js';
import { ChangeHub } from './database/change-hub.js';
import { type EntityClass, openDataSource } from './database/data-source.js';
import { DATA_SOURCE, Database } from './database/database.js';
import { ListenConnection } from './database/listen-connection.js';
import { HealthController } from './health/health.controller.js';
import { EventStreams } from './rest/event-streams.js';
import { Readiness } from './health/readiness.js';
import { DatabaseTurnQueue } from './queue/database-turn-queue.js';
import { openSandbox } from './sandbox/open-sandbox.js';
import { SANDBOX, type Sandbox } from './sandbox/sandbox.js';
import { MetricsPage } from './telemetry/metrics-page.js';
import { TURN_QUEUE, type TurnQueue } from './queue/turn-queue.js';

@Injectable()
class CloseConnections implements OnApplicationShutdown {
  constructor(
    @Inject(ListenConnection) private readonly connection: ListenConnection,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly lease: RunnerLease,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.queue.stop();
    await this.lease.leave();
    await this.connection.close();
  }
}

/** What every part of the server stands on: settings, database, queue, access, probes. */
@Module({})
export class PlatformModule {
  static forServer(
    environment: Environment,
    databaseUrl: string,
    entities: EntityClass[],
    version: string,
  ): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      controllers: [HealthController],
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        { provide: DATA_SOURCE, useFactory: () => openDataSource(databaseUrl, environment, entities) },
        {
          provide: ListenConnection,
          inject: [ChangeHub],
          useFactory: (hub: ChangeHub) => openListener(databaseUrl, hub),
        },
        {
          provide: RunnerLease,
          inject: [ListenConnection, SANDBOX, ChangeHub],
          useFactory: (...parts: [ListenConnection, Sandbox, ChangeHub]) =>
            enterCluster(environment, version, ...parts),
        },
        {
          provide: TURN_QUEUE,
          inject: [Database, ChangeHub, RunnerLease],
          useFactory: (...parts: [Database, ChangeHub, RunnerLease]) => startQueue(databaseUrl, environment, ...parts),
        },
        { provide: SANDBOX, useFactory: () => openSandbox(environment) },
        Database,
        ChangeHub,
        AccessControl,
        OpenRequests,
        { provide: CredentialEnds, inject: [ChangeHub], useFactory: (hub: ChangeHub) => new CredentialEnds(hub) },
        RunnersRepository,
        EventStreams,
        Readiness,
        MetricsPage,
        CloseConnections,
      ],
      exports: [
        ...[ENVIRONMENT, TURN_QUEUE, SANDBOX, Database, ChangeHub],
        ...[AccessControl, CredentialEnds, EventStreams, OpenRequests, RunnerLease, RunnersRepository, MetricsPage],
      ],
    };
  }
}

async function openListener(url: string, hub: ChangeHub): Promise<ListenConnection> {
  const connection = new ListenConnection(url, (client) => hub.listen(client));
  await connection.open();
  return connection;
}

/** Without its place among the others this process must not run anything. */
async function enterCluster(
  environment: Environment,
  version: string,
  session: ListenConnection,
  { isolation, limits }: Sandbox,
  hub: ChangeHub,
): Promise<RunnerLease> {
  const lease = new RunnerLease(environment, session, { version, isolation, limits });
  hub.follow((key) => void ((key === null || key === PROCESSES) && lease.recount()));
  try {
    await lease.enter();
  } catch (error) {
    await session.close();
    throw error;
  }
  return lease;
}

async function startQueue(
  url: string,
  environment: Environment,
  database: Database,
  hub: ChangeHub,
  runner: RunnerLease,
): Promise<DatabaseTurnQueue> {
  const queue = new DatabaseTurnQueue(url, database, hub, runner, environment);
  await queue.start();
  return queue;
}
