import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { schemaFault } from '../migration/schema-state.js';
import { RunnerLease } from '../cluster/runner-lease.js';

/** Ready: not shutting down or draining, the lease is held, the database answers, and its schema fits this server. */
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
    if (this.runner.replaced.aborted) return (this.runner.replaced.reason as Error).message;
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
