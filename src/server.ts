import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './bootstrap.js';
import type { Environment } from './config/environment.js';
import { greeting } from './greeting.js';
import { isLoopback } from './platform/access/access-control.js';
import { startEmbeddedPostgres } from './platform/database/embedded/embedded-postgres.js';
import { requireDatabase } from './platform/database/required-database.js';
import { SANDBOX, type Sandbox } from './platform/sandbox/sandbox.js';
import { migrate } from './platform/migration/migrate.js';
import { requireDataDir, requirePort } from './start-conditions.js';

/** Turns are given 10 s to end and their jobs as many to be written down; what hangs beyond that is not waited for. */
const CLOSE_WITHIN_MS = 25_000;

/** The server would be open to the network. */
export class UnsafeBindError extends Error {}

/** Brings everything up and listens; ends with the process. @throws UnsafeBindError and the refusals of the parts */
export async function startServer(environment: Environment): Promise<NestFastifyApplication> {
  requireProtection(environment);
  requireDataDir(environment);
  await requirePort(environment);
  const database = await openDatabase(environment);
  let app: NestFastifyApplication | undefined;
  endOnSignal(async () => {
    await Promise.race([app?.close(), delay(CLOSE_WITHIN_MS)]);
    await database.stop();
  });
  try {
    await migrate(database.url);
    app = await createApp(environment, database.url);
    await app.listen(environment.PORT, environment.HOST);
    console.log(greeting(await app.getUrl(), environment, app.get<Sandbox>(SANDBOX)));
    return app;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

function requireProtection({ HOST, TASKFLOW_SERVICE_TOKEN }: Environment): void {
  if (isLoopback(HOST) || TASKFLOW_SERVICE_TOKEN) return;
  throw new UnsafeBindError(`HOST=${HOST} is open to the network: set TASKFLOW_SERVICE_TOKEN, or listen on 127.0.0.1`);
}

async function openDatabase({
  DATABASE_URL,
  DATA_DIR,
}: Environment): Promise<{ url: string; stop: () => Promise<void> }> {
  if (!DATABASE_URL) return startEmbeddedPostgres(DATA_DIR);
  await requireDatabase(DATABASE_URL);
  return { url: DATABASE_URL, stop: () => Promise.resolve() };
}

/** The first signal shuts down in order, the embedded database last, after everything that still writes;
 *  a second one exits immediately. */
function endOnSignal(close: () => Promise<void>): void {
  let isEnding = false;
  const end = async (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(1);
    isEnding = true;
    try {
      await close();
    } finally {
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(signal));
}
