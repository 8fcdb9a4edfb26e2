import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Jobs } from '../../cluster/jobs.js';
import { IdlePreparation } from './idle-preparation.js';
import { LocalRetention } from './local-retention.js';
import { Retention } from './retention.js';
import { WorkspaceDisposal } from './workspace-disposal.js';
import { WorkspaceExpiry } from './workspace-expiry.js';

/** Each runner looks at its own disk. */
const EXPIRE_EVERY_MS = 30 * 60_000;

/** Schedules the tidying. Work that follows from a change of a record is a job, so that a restart loses none. */
@Injectable()
export class Housekeeping implements OnApplicationShutdown {
  private readonly logger = new Logger(Housekeeping.name);
  private timer: NodeJS.Timeout | null = null;
  private expiring: Promise<void> = Promise.resolve();

  constructor(
    private readonly jobs: Jobs,
    private readonly preparation: IdlePreparation,
    private readonly disposal: WorkspaceDisposal,
    private readonly expiry: WorkspaceExpiry,
    private readonly retention: Retention,
    private readonly localRetention: LocalRetention,
  ) {}

  /** Nothing is written below DATA_DIR afterwards. */
  async onApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.expiring;
  }

  async start(): Promise<void> {
    await this.jobs.work('prepare_workspace', ({ attempt_id }) => this.preparation.prepare(attempt_id as string));
    await this.jobs.work('dispose_workspaces', ({ attempt_ids }) => this.disposal.disposeOf(attempt_ids as string[]));
    await this.jobs.work('prune_records', () => this.prune());
    await this.jobs.schedule('prune_records', '7 * * * *');
    this.timer = setInterval(() => {
      this.expiring = this.expire();
    }, EXPIRE_EVERY_MS).unref();
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
