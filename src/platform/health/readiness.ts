import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { migrations } from '../../../migrations/index.js';
import { Database } from '../database/database.js';

/** Ready means: not shutting down, the database answers, and none of my migrations is missing (newer ones may be there). */
@Injectable()
export class Readiness implements OnApplicationShutdown {
  private isShuttingDown = false;

  constructor(private readonly database: Database) {}

  async check(): Promise<string> {
    if (this.isShuttingDown) return 'shutting down';
    try {
      const applied = await this.database.query<{ name: string }>('SELECT name FROM schema_migrations');
      const missing = migrations
        .map((migration) => migration.name)
        .filter((name) => !applied.some((row) => row.name === name));
      return missing.length ? `missing migrations: ${missing.join(', ')}` : 'ok';
    } catch {
      return 'the database does not answer';
    }
  }

  onApplicationShutdown(): void {
    this.isShuttingDown = true;
  }
}
