import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { PullRequestsRepository } from '../deliveries/pull-requests.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import { PullRequestSync } from './pull-request-sync.service.js';

const MOST_AT_ONCE = 20;
const LONGEST_PAUSE_MS = 5_000;

/** Polls pull requests that are due. Claimed rows are exclusive, so that several processes share the work. */
@Injectable()
export class PullRequestPolling implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PullRequestPolling.name);
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly forges: ForgesService,
    private readonly pullRequestRows: PullRequestsRepository,
    private readonly sync: PullRequestSync,
  ) {}

  onApplicationBootstrap(): void {
    if (this.forges.list().length > 0) this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** Polls at once. */
  wake(): void {
    clearTimeout(this.timer);
    this.next();
  }

  private schedule(): void {
    if (this.isStopped) return;
    const pause = Math.min(this.environment.FORGE_POLL_SECS * 1_000, LONGEST_PAUSE_MS);
    this.timer = setTimeout(() => this.next(), pause);
  }

  private next(): void {
    this.round = this.round
      .then(() => this.look())
      .catch((error: unknown) => {
        this.logger.warn({ err: error }, 'pull requests could not be looked at');
      });
    void this.round.finally(() => {
      clearTimeout(this.timer);
      this.schedule();
    });
  }

  private async look(): Promise<void> {
    if (this.isStopped) return;
    const hosts = this.forges
      .list()
      .filter(({ rests_for_secs }) => rests_for_secs === 0)
      .map(({ host }) => host);
    // a poll makes several calls in sequence, each of which may take its full time
    const lease = this.environment.GIT_REMOTE_TIMEOUT_SECS * 4;
    const due = await this.pullRequestRows.takeDue(hosts, MOST_AT_ONCE, lease);
    const looks = await Promise.allSettled(due.map((row) => this.sync.refresh(row)));
    for (const look of looks)
      if (look.status === 'rejected') this.logger.warn({ err: look.reason as Error }, 'a pull request was not read');
  }
}
