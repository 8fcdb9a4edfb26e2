import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { toAppError } from '../platform/errors/to-app-error.js';
import type { Batch, LogRepository, Writer } from './log.repository.js';

const RETRY_MS = 250;
/** Tries for faults other than a missing or full database; then the entries are dropped, so that the run can
 *  continue. */
const TRIES = 20;

/** lost: the run is no longer the writer's. refused: the database does not take these entries. */
type WriteOutcome = 'stored' | 'stop' | 'force' | 'lost' | 'refused';

/** Stores the chunks of one run, each exactly once, even if the database goes away meanwhile. */
export class ChunkWriter {
  private readonly logger = new Logger(ChunkWriter.name);
  private readonly lastStored = { raw: -1, normalized: -1, events: -1 };
  private isAbandoned = false;

  constructor(
    private readonly writer: Writer,
    private readonly logs: LogRepository,
  ) {}

  /** Ends a write that repeats. */
  abandon(): void {
    this.isAbandoned = true;
  }

  /** Retries until the database accepts it, or the run is abandoned because its lease is lost. */
  async write(batch: Batch): Promise<WriteOutcome> {
    for (let tries = 0, isRepeated = false; !this.isAbandoned; isRepeated = true) {
      try {
        return isRepeated && (await this.isStored(batch)) ? 'stored' : await this.append(batch);
      } catch (error) {
        if (!toAppError(error)?.row.retryable && (tries += 1) >= TRIES) return this.refuse(error);
        await pause(RETRY_MS);
      }
    }
    return 'lost';
  }

  private async append(batch: Batch): Promise<WriteOutcome> {
    const seen = await this.logs.append(this.writer, batch);
    if (seen === null) return 'lost';
    this.lastStored[batch.channel] = seen.last_index;
    if (!seen.stop) return 'stored';
    return seen.force ? 'force' : 'stop';
  }

  /** Whether an earlier try succeeded and only its answer was lost. */
  private async isStored({ channel, entries }: Batch): Promise<boolean> {
    if (entries.length === 0) return false;
    const last = await this.logs.findLastIndex(this.writer, channel);
    const isStored = last > this.lastStored[channel];
    if (isStored) this.lastStored[channel] = last;
    return isStored;
  }

  private refuse(error: unknown): WriteOutcome {
    this.logger.error({ err: error, execution_id: this.writer.execution_id }, 'log entries could not be stored');
    return 'refused';
  }
}
