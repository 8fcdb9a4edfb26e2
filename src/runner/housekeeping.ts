import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import {
  DISPOSE_WORKSPACES,
  EXPIRE_WORKSPACES,
  PREPARE_WORKSPACE,
  PRUNE_RECORDS,
} from '../turns/housekeeping-kinds.js';
import { IdlePreparation } from './idle-preparation.js';
import { LocalRetention } from './local-retention.js';
import { Retention } from './retention.js';
import { WorkspaceDisposal } from './workspace-disposal.js';
import { WorkspaceExpiry } from './workspace-expiry.js';

/** Each runner looks at its own disk. */
const EXPIRE_EVERY_MS = 30 * 60_000;

/** Work nobody waits for: jobs of the queue, so that a restart loses none. */
@Injectable()
export class Housekeeping implements OnApplicationShutdown {
  private readonly logger = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly preparation: IdlePreparation,
    private readonly disposal: WorkspaceDisposal,
    private readonly expiry: WorkspaceExpiry,
    private readonly retention: Retention,
    private readonly localRetention: LocalRetention,
  ) {}

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
  }

  async start(): Promise<void> {
    this.queue.workHousekeeping({
      [PREPARE_WORKSPACE]: ({ attempt_id }) => this.preparation.prepare(attempt_id as string),
      [DISPOSE_WORKSPACES]: ({ attempt_ids }) => this.disposal.disposeOf(attempt_ids as string[]),
      [EXPIRE_WORKSPACES]: () => this.expiry.expire(),
      [PRUNE_RECORDS]: () => this.prune(),
    });
    await this.queue.schedule(PRUNE_RECORDS, '7 * * * *');
    await this.queue.unschedule(EXPIRE_WORKSPACES); // of older servers: a job reaches one runner, by chance
    this.timer = setInterval(() => void this.expire(), EXPIRE_EVERY_MS).unref();
  }

  private async prune(): Promise<void> {
    await this.retention.apply();
    await this.localRetention.apply();
  }

  private async expire(): Promise<void> {
    try {
      await this.expiry.expire();
      await this.localRetention.apply();
    } catch (error) {
      this.logger.warn({ err: error }, 'this machine could not be tidied');
    }
  }
}
