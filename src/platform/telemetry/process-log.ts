import { randomUUID } from 'node:crypto';
import pino, { type LoggerOptions } from 'pino';
import type { Environment } from '../../config/environment.js';
import { SERVER_INFO } from '../../config/version.js';
import { scopeFields } from './scope.js';

/** Tells one start of a process from the next, in logs and traces alike. */
export const INSTANCE_ID = randomUUID();

/** JSON lines with OpenTelemetry's names: the process, and the ids and trace of the current scope. */
export function logOptions({ LOG_LEVEL, ROLE }: Pick<Environment, 'LOG_LEVEL'> & { ROLE: string }): LoggerOptions {
  return {
    level: LOG_LEVEL,
    base: {
      'service.name': SERVER_INFO.name,
      'service.version': SERVER_INFO.version,
      'service.instance.id': INSTANCE_ID,
      role: ROLE,
    },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: scopeFields,
  };
}
