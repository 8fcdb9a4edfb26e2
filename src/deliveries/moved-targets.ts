import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AttemptsService } from '../attempts/attempts.service.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { DeliveriesRepository, type MovedTarget } from './deliveries.repository.js';
import { KnownConflicts } from './known-conflicts.js';

/** Newest tasks in review whose work is tried again; older work is when somebody looks at it. */
const MOST = 50;

/** Tries the work that waits for review beside a delivery which moved its target: it may conflict now, or no longer. */
@Injectable()
export class MovedTargets implements OnApplicationShutdown {
  private readonly logger = new Logger(MovedTargets.name);
  private trying: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly deliveryRows: DeliveriesRepository,
    private readonly conflicts: KnownConflicts,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await this.trying;
  }

  /** One attempt after the other, while whoever delivered has its answer. */
  moved(delivery: MovedTarget): void {
    this.trying = this.trying
      .then(() => this.tryOthers(delivery))
      .catch((error: unknown) => this.logger.warn({ err: error }, 'work beside a delivery could not be tried'));
  }

  private async tryOthers(delivery: MovedTarget): Promise<void> {
    if (this.isStopped) return;
    for (const attempt_id of await this.deliveryRows.listBeside(delivery, MOST)) {
      if (this.isStopped) return;
      await this.tryOne(attempt_id).catch((error: unknown) => {
        this.logger.warn({ err: error, attempt_id }, 'an attempt could not be compared with its target');
      });
    }
  }

  private async tryOne(attempt_id: string): Promise<void> {
    const outcome = await this.attemptRows.outcomeOf(attempt_id);
    const [attempt] = await this.attemptRows.listByIds([attempt_id]);
    if (outcome.state === 'running' || !attempt) return; // its end says it
    const workspace = await this.attempts.workspace(attempt);
    await this.conflicts.correct(attempt_id, outcome, await this.host.wouldConflict(workspace));
  }
}
