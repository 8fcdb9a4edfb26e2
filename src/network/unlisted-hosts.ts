import { Injectable, Logger } from '@nestjs/common';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import { Database } from '../platform/database/database.js';
import { hostAndPort } from '../platform/network/host-rule.js';
import { type HostCount, MOST_HOSTS, NetworkDenialsRepository } from './network-denials.repository.js';

const STORE_EVERY_MS = 1_000;

/** Stores which hosts runs wanted that are not listed. */
@Injectable()
export class UnlistedHosts {
  constructor(
    private readonly database: Database,
    private readonly rows: NetworkDenialsRepository,
    private readonly events: AttemptEvents,
  ) {}

  ofRun(execution: Pick<Execution, 'id' | 'attempt_id' | 'task_id' | 'project_id'>): RunHosts {
    return new RunHosts(async (counts, isFirst) => {
      await this.database.transaction(async (tx) => {
        await this.rows.add(tx, execution.attempt_id, counts);
        for (const { host, port } of counts.filter(isFirst))
          await this.events.networkDenied(tx, execution, { host, port });
      });
    });
  }
}

/** Counts them for one run, and stores the counts now and then. */
export class RunHosts {
  private readonly logger = new Logger(UnlistedHosts.name);
  private counts = new Map<string, HostCount>();
  /** Hosts that were refused, and whether that has been told. */
  private readonly refused = new Map<string, boolean>();
  private timer: NodeJS.Timeout | null = null;
  private stored: Promise<void> = Promise.resolve();

  constructor(private readonly write: (counts: HostCount[], isFirst: (one: HostCount) => boolean) => Promise<void>) {}

  /** @param isRefused it could not be reached for that */
  note(host: string, port: number, isRefused: boolean): void {
    const key = hostAndPort(host, port);
    const known = this.counts.get(key);
    if (known === undefined && this.counts.size >= MOST_HOSTS) return;
    this.counts.set(key, { host, port, count: (known?.count ?? 0) + 1 });
    if (isRefused && !this.refused.has(key) && this.refused.size < MOST_HOSTS) this.refused.set(key, false);
    this.timer ??= setTimeout(() => this.store(), STORE_EVERY_MS).unref();
  }

  /** Stores the rest. */
  async close(): Promise<void> {
    this.store();
    await this.stored;
  }

  private store(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.stored = this.stored.then(() => this.storeCounts());
  }

  private async storeCounts(): Promise<void> {
    const counts = this.counts;
    if (counts.size === 0) return;
    this.counts = new Map();
    try {
      await this.write([...counts.values()], ({ host, port }) => this.refused.get(hostAndPort(host, port)) === false);
      for (const key of counts.keys()) if (this.refused.has(key)) this.refused.set(key, true);
    } catch (error) {
      this.logger.warn({ err: error }, 'hosts that are not listed could not be stored; they are kept');
      for (const [key, { count }] of counts) {
        const later = this.counts.get(key);
        this.counts.set(key, { ...counts.get(key)!, count: count + (later?.count ?? 0) });
      }
    }
  }
}
