import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';

/** An agent may be installed while the server runs. */
const LOOK_EVERY_MS = 15_000;

/** Tells the others which executors this runner has. */
@Injectable()
export class FoundExecutors implements OnApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly catalogue: ExecutorCatalogue,
    private readonly lease: RunnerLease,
  ) {}

  async start(): Promise<void> {
    await this.look();
    this.timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const found = await this.catalogue.listOwn();
    await this.lease.offer(found.map(({ executor, is_available, reason }) => ({ executor, is_available, reason })));
  }
}
