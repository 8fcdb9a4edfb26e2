import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Environment } from './config/environment.js';
import { greeting } from './greeting.js';
import { WaitingProbes } from './health/waiting-probes.js';
import { openDatabase } from './platform/database/open-database.js';
import { separateRole } from './platform/database/roles.js';
import { SANDBOX, type Sandbox } from './platform/sandbox/sandbox.js';
import { startTracing } from './platform/telemetry/start-tracing.js';
import { untilMigrated } from './migration/schema-state.js';
import {
  requireClusterSettings,
  requireDataDir,
  requireOidcSettings,
  requirePort,
  requireProtection,
  requireRunnerLife,
} from './start-conditions.js';

/** Turns get 10 s to end, and as long to be recorded; after that nothing is waited for. */
const CLOSE_WITHIN_MS = 25_000;

/** A terminal's Ctrl-C reaches npm and the server, and npm forwards its own: signals this close together count as
 *  one. */
const PASSED_ON_WITHIN_MS = 500;

/** Brings everything up and listens; ends with the process. @throws UnsafeBindError and the refusals of the parts */
export async function startServer(environment: Environment): Promise<NestFastifyApplication> {
  requireOidcSettings(environment);
  requireProtection(environment);
  requireClusterSettings(environment);
  requireRunnerLife(environment);
  requireDataDir(environment);
  await requirePort(environment);
  reportForgottenRejections();
  const opening = openDatabase(environment);
  // Loading can block this thread for seconds, and a connection would time out.
  if (environment.DATABASE_URL) await opening;
  // loaded while an embedded database starts, and not at all if the start was refused before
  const [database, { createApp, drain, logLines, linkInto, reportRole, whenOver }, { migrate }] = await Promise.all([
    opening,
    import('./bootstrap.js'),
    import('./migration/migrate.js'),
  ]);
  logLines(environment, 1);
  const tracing = await startTracing(environment);
  let app: NestFastifyApplication | undefined;
  const end = endOnSignal(async () => {
    if (app) await drain(app, environment);
    await Promise.race([app?.close(), delay(CLOSE_WITHIN_MS)]);
    await tracing.stop();
    await database.stop();
  });
  try {
    if (environment.ROLE === 'all' && environment.MIGRATE === 'auto')
      await migrate(database.ownerUrl, separateRole(database));
    else await awaitSchema(environment, database.url);
    app = await createApp(environment, database.url);
    whenOver(app, environment, () => end('SIGTERM'));
    await reportRole(app);
    await app.listen(environment.PORT, environment.HOST);
    console.log(greeting(await app.getUrl(), environment, app.get<Sandbox>(SANDBOX), linkInto(app)));
    return app;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Alive meanwhile, for a migration may take longer than a platform waits for a process to listen. */
async function awaitSchema(environment: Environment, url: string): Promise<void> {
  const probes = new WaitingProbes(environment);
  try {
    await untilMigrated(url, (reason) => probes.say(reason));
  } finally {
    await probes.close();
  }
}

/** A promise that nobody awaits must not end what runs here, as Node would. */
function reportForgottenRejections(): void {
  const logger = new Logger('Process');
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'a promise was rejected and nobody heard'));
}

/** The first signal shuts down gracefully, the embedded database last; a second one exits immediately. A graceful end
 *  is no failure. @returns ends the process as that signal does */
function endOnSignal(close: () => Promise<void>): (signal: NodeJS.Signals) => void {
  let endingSince: number | null = null;
  const end = async (signal: NodeJS.Signals) => {
    if (endingSince !== null) {
      if (performance.now() - endingSince < PASSED_ON_WITHIN_MS) return;
      process.exit(1);
    }
    endingSince = performance.now();
    try {
      await close();
    } finally {
      process.exit(signal === 'SIGTERM' ? 0 : 128 + constants.signals[signal]);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(signal));
  return (signal) => void end(signal);
}
