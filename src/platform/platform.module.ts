import { type DynamicModule, Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AccessControl } from './access/access-control.js';
import { CredentialEnds } from './access/verified-tokens.js';
import { BroadReads } from './access/broad-reads.js';
import { OpenRequests } from './access/caller-limits.js';
import { ChangeHub } from './database/change-hub.js';
import { type EntityClass, openDataSource } from './database/data-source.js';
import { DATA_SOURCE, Database } from './database/database.js';
import { EventStreams } from './rest/event-streams.js';
import { openSandbox } from './sandbox/open-sandbox.js';
import { SANDBOX } from './sandbox/sandbox.js';
import { MetricsPage } from './telemetry/metrics-page.js';

/** What every part of the server builds on: settings, database, access, sandbox. */
@Module({})
export class PlatformModule {
  static forServer(environment: Environment, databaseUrl: string, entities: EntityClass[]): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        { provide: DATA_SOURCE, useFactory: () => openDataSource(databaseUrl, environment, entities) },
        { provide: SANDBOX, useFactory: () => openSandbox(environment) },
        Database,
        ChangeHub,
        AccessControl,
        OpenRequests,
        BroadReads,
        { provide: CredentialEnds, inject: [ChangeHub], useFactory: (hub: ChangeHub) => new CredentialEnds(hub) },
        EventStreams,
        MetricsPage,
      ],
      exports: [
        ...[ENVIRONMENT, SANDBOX, Database, ChangeHub],
        ...[AccessControl, CredentialEnds, EventStreams, OpenRequests, BroadReads, MetricsPage],
      ],
    };
  }
}
