import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Environment } from '../config/environment.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { ListenConnection } from '../platform/database/listen-connection.js';
import { SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { Jobs } from './jobs.js';
import { Lanes } from './lanes.js';
import { PROCESSES } from './runner-entry.js';
import { RunnerLease } from './runner-lease.js';
import { RunnersRepository } from './runners.repository.js';
import { TurnQueue } from './turn-queue.js';
import { WaitingTurns } from './waiting-turns.js';

@Injectable()
class LeaveCluster implements OnApplicationShutdown {
  constructor(
    @Inject(ListenConnection) private readonly connection: ListenConnection,
    @Inject(TurnQueue) private readonly queue: TurnQueue,
    @Inject(Jobs) private readonly jobs: Jobs,
    private readonly lease: RunnerLease,
    private readonly lanes: Lanes,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.queue.stop(), this.jobs.stop()]);
    await this.lease.leave();
    await this.connection.close();
    await this.lanes.close();
  }
}

/** This process among those of its database: its session, its lease, the queue of turns, and jobs. */
@Module({})
export class ClusterModule {
  static forServer(environment: Environment, databaseUrl: string, version: string): DynamicModule {
    return {
      module: ClusterModule,
      global: true,
      providers: [
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
          provide: TurnQueue,
          inject: [Database, ChangeHub, RunnerLease],
          useFactory: (...parts: [Database, ChangeHub, RunnerLease]) => new TurnQueue(...parts, environment),
        },
        {
          provide: Jobs,
          inject: [Database, ChangeHub, RunnerLease],
          useFactory: (database: Database, hub: ChangeHub) => startJobs(databaseUrl, database, hub),
        },
        { provide: Lanes, inject: [Database], useFactory: (database: Database) => new Lanes(databaseUrl, database) },
        RunnersRepository,
        WaitingTurns,
        LeaveCluster,
      ],
      exports: [TurnQueue, Jobs, Lanes, RunnerLease, RunnersRepository, WaitingTurns],
    };
  }
}

async function openListener(url: string, hub: ChangeHub): Promise<ListenConnection> {
  const connection = new ListenConnection(url, (client) => hub.listen(client));
  await connection.open();
  return connection;
}

/** A process without a lease must not run anything. */
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

async function startJobs(url: string, database: Database, hub: ChangeHub): Promise<Jobs> {
  const jobs = new Jobs(url, database, hub);
  await jobs.start();
  return jobs;
}
