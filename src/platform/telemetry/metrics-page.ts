import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { SERVER_INFO } from '../../config/version.js';
import { settledWithin } from '../process/settled-within.js';
import { buildInfo, processMetrics } from './metrics.js';

/** Well below the time Prometheus gives a scrape: a database that hangs must not hide the rest. */
const LOOKUP_WITHIN_MS = 2_000;

/** Answers Prometheus. Figures that are not counted are looked up at each scrape. */
@Injectable()
export class MetricsPage {
  private readonly logger = new Logger('Metrics');
  private readonly lookups: (() => Promise<void>)[] = [];

  constructor(@Inject(ENVIRONMENT) { ROLE }: Environment) {
    buildInfo.set({ version: SERVER_INFO.version, role: ROLE }, 1);
  }

  /** @param lookup sets gauges before each scrape; if it fails, it removes its series instead of leaving stale ones */
  beforeEach(lookup: () => Promise<void>): void {
    this.lookups.push(lookup);
  }

  async render(): Promise<string> {
    const looked = this.lookups.map((lookup) =>
      lookup().catch((error: unknown) => this.logger.warn({ err: error }, 'figures could not be looked up')),
    );
    await settledWithin(Promise.all(looked), LOOKUP_WITHIN_MS);
    return processMetrics.metrics();
  }
}
