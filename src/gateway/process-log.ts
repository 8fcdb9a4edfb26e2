import { Logger } from '@nestjs/common';
import { Logger as JsonLogger, PinoLogger } from 'nestjs-pino';
import { pino } from 'pino';
import type { Environment } from '../config/environment.js';
import { logOptions } from '../platform/telemetry/process-log.js';

/** Logs JSON lines like the server's, but to standard error: standard output may carry the protocol. */
export function logToStandardError(environment: Environment): void {
  const destination = pino.destination({ dest: 2, sync: true });
  Logger.overrideLogger(
    new JsonLogger(
      new PinoLogger({ pinoHttp: { logger: pino(logOptions({ ...environment, ROLE: 'gateway' }), destination) } }),
      {},
    ),
  );
}
