import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Jobs } from '../cluster/jobs.js';
import { ContinuationFiring } from './continuation-firing.js';

const MOST_AT_ONCE = 100;

/** Works the clocks of continuations in every role, so that they go on while no runner lives. */
@Injectable()
export class ContinuationTimer implements OnApplicationBootstrap {
  private readonly logger = new Logger(ContinuationTimer.name);

  constructor(
    private readonly jobs: Jobs,
    private readonly firing: ContinuationFiring,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.jobs.work('continuations', (_, job) => this.firing.fire(job));
    await this.jobs.work('resend_continuations', () => this.sendAgain());
    await this.jobs.schedule('resend_continuations', '* * * * *');
  }

  private async sendAgain(): Promise<void> {
    const sent = await this.firing.sendAgain(MOST_AT_ONCE);
    if (sent > 0) this.logger.warn(`${sent} continuations were due without a job`);
  }
}
