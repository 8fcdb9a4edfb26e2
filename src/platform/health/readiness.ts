import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { migrations } from '../../../migrations/index.js';
import { Database } from '../database/database.js';
import { RunnerLease } from '../cluster/runner-lease.js';

/** Ready means: not shutting down, the place as a runner not lost, the database answers, and none of my migrations is
 *  missing (newer ones may be there). */
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
      const applied = await this.database.query<{ name: string }>('SELECT name FROM schema_migrations');
      const missing = migrations
        .map((migration) => migration.name)
        .filter((name) => !applied.some((row) => row.name === name));
      return missing.length ? `missing migrations: ${missing.join(', ')}` : 'ok';
    } catch {
      return 'the database does not answer'; // to a probe every fault of it means the same
    }
  }

  onApplicationShutdown(): void {
    this.isShuttingDown = true;
  }
}
