import { Logger } from '@nestjs/common';
import { Logger as JsonLogger, PinoLogger } from 'nestjs-pino';
import { pino } from 'pino';
import { logOptions } from './process-log.js';

/** The server's JSON lines, for code that runs before it is up or without it.
 *  @param descriptor 2 where standard output may carry a protocol */
export function logLines(settings: Parameters<typeof logOptions>[0], descriptor: 1 | 2): void {
  const destination = pino.destination({ dest: descriptor, sync: true });
  Logger.overrideLogger(
    new JsonLogger(new PinoLogger({ pinoHttp: { logger: pino(logOptions(settings), destination) } }), {}),
  );
}
