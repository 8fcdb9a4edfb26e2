import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database.js';
import { schemaFault } from '../migration/schema-state.js';
import { RunnerLease } from '../cluster/runner-lease.js';

/** Ready means: not shutting down or draining, the place as a runner not lost, the database answers, and its schema is
 *  one that this server can serve. */
@Injectable()
export class Readiness implements OnApplicationShutdown {
  private isShuttingDown = false;

  constructor(
    private readonly database: Database,
    private readonly runner: RunnerLease,
  ) {}

  async check(): Promise<string> {
    if (this.isShuttingDown) return 'shutting down';
    if (this.runner.isDraining) return 'draining';
    if (this.runner.lost.aborted) return (this.runner.lost.reason as Error).message;
    try {
      return (await schemaFault((sql) => this.database.query(sql))) ?? 'ok';
    } catch {
      return 'the database does not answer'; // to a probe every fault of it means the same
    }
  }

  onApplicationShutdown(): void {
    this.isShuttingDown = true;
  }
}
