import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { RunnerLease } from '../cluster/runner-lease.js';

/** Agents may be installed while the server runs. */
const LOOK_EVERY_MS = 15_000;

/** Tells the others which executors this runner has. */
@Injectable()
export class FoundExecutors implements OnApplicationShutdown {
  private readonly logger = new Logger(FoundExecutors.name);
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly catalogue: ExecutorCatalogue,
    private readonly lease: RunnerLease,
  ) {}

  async start(): Promise<void> {
    await this.look();
    this.timer = setInterval(() => void this.lookAgain(), LOOK_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  private async lookAgain(): Promise<void> {
    await this.look().catch((error: unknown) => this.logger.warn({ err: error }, 'executors could not be looked for'));
  }

  private async look(): Promise<void> {
    await this.lease.offer(await this.catalogue.listOwn());
  }
}
