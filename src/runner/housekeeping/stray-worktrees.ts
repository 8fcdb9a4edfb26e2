import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { StrayAttempt } from '../../attempts/attempt.entity.js';
import { AttemptsRepository } from '../../attempts/attempts.repository.js';
import { AttemptsService } from '../../attempts/attempts.service.js';
import { RunnerLease } from '../../cluster/runner-lease.js';
import { ChangeHub } from '../../platform/database/change-hub.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../../workspaces/workspace-host.js';
import { strayKey } from '../../attempts/ready-workspaces.js';
import { WorkspacePreparation } from '../workspace-preparation.js';
import { WorkspaceDisposal } from './workspace-disposal.js';

/** Regular look, because this runner may have missed the notification of a takeover. */
const LOOK_EVERY_MS = 10 * 60_000;
/** While strays are left: their home is away or none is known yet, or they could not be removed. */
const LOOK_AGAIN_MS = 10_000;
const AT_ONCE = 500;

/** Removes worktrees that no longer belong to this machine: another runner took them over while this one was away, or
 *  their task was deleted. */
@Injectable()
export class StrayWorktrees implements OnApplicationShutdown {
  private readonly logger = new Logger(StrayWorktrees.name);
  private readonly takeovers: ReturnType<ChangeHub['subscribe']>;
  private isOver = false;
  private running: Promise<void> = Promise.resolve();

  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly lease: RunnerLease,
    private readonly attemptRows: AttemptsRepository,
    private readonly attempts: AttemptsService,
    private readonly preparation: WorkspacePreparation,
    private readonly disposal: WorkspaceDisposal,
    hub: ChangeHub,
  ) {
    this.takeovers = hub.subscribe(strayKey(lease.id), strayKey(null));
  }

  start(): void {
    this.running = this.run();
  }

  /** Nothing is written below DATA_DIR afterwards. */
  async onApplicationShutdown(): Promise<void> {
    this.isOver = true;
    this.takeovers.nudge();
    this.takeovers.close();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.isOver) {
      const areLeft = await this.look().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'strays could not be looked for');
        return true;
      });
      await this.takeovers.next(areLeft ? LOOK_AGAIN_MS : LOOK_EVERY_MS);
    }
  }

  /** @returns whether some are left */
  private async look(): Promise<boolean> {
    const ids = await this.host.listAttempts();
    let areLeft = false;
    for (let from = 0; from < ids.length && !this.isOver; from += AT_ONCE)
      for (const { id } of await this.attemptRows.listStrays(ids.slice(from, from + AT_ONCE), this.lease.id))
        areLeft = this.isOver || !(await this.remove(id)) || areLeft;
    return areLeft;
  }

  /** @returns whether it is gone or no stray any more; failures are tried again at the next look */
  private async remove(attempt_id: string): Promise<boolean> {
    try {
      return await this.preparation.alone(attempt_id, async () => {
        const [attempt] = await this.attemptRows.listStrays([attempt_id], this.lease.id);
        if (attempt === undefined) return true;
        if (!(await this.isStray(attempt))) return false;
        await this.dispose(attempt);
        this.logger.log({ attempt_id, home: attempt.runner_id }, 'worktrees that were left behind were removed');
        return true;
      });
    } catch (error) {
      this.logger.warn({ err: error, attempt_id }, 'worktrees that were left behind could not be removed yet');
      return false;
    }
  }

  /** While its home is away or unknown, this runner may become it. */
  private async isStray(attempt: StrayAttempt): Promise<boolean> {
    return attempt.workspace_state === 'removed' || attempt.is_deleted || this.preparation.isElsewhere(attempt);
  }

  /** What could not be removed with its task is removed as it would have been then. */
  private async dispose(attempt: StrayAttempt): Promise<void> {
    const isOurs = attempt.runner_id === this.lease.id && attempt.workspace_state !== 'removed';
    if (isOurs) await this.disposal.remove(attempt, true);
    else await this.host.disposeStray(await this.attempts.workspace(attempt));
  }
}
