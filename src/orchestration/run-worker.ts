import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { ProcessPool } from '../platform/process/process-pool.js';

import { RunnerIdentity } from '../platform/queue/runner-identity.js';
import { type LeasedJob, TURN_QUEUE, type TurnQueue } from '../platform/queue/turn-queue.js';
import { ActiveRuns } from './active-runs.js';
import { EndRunService } from './end-run.service.js';
import { insist } from './insist.js';
import { StepRunner } from './step-runner.js';

/** Takes jobs and walks their steps, one after another under one lease. */
@Injectable()
export class RunWorker implements BeforeApplicationShutdown {
  private isShuttingDown = false;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    private readonly runner: RunnerIdentity,
    private readonly pool: ProcessPool,
    private readonly database: Database,
    private readonly attempts: AttemptsRepository,
    private readonly executions: ExecutionsRepository,
    private readonly events: AttemptEvents,
    private readonly activeRuns: ActiveRuns,
    private readonly steps: StepRunner,
    private readonly ends: EndRunService,
  ) {}

  start(): void {
    this.queue.takeTurns((job) => this.handle(job), this.environment.MAX_CONCURRENT_EXECUTIONS);
  }

  /** Runs are ended and written down while the connections still stand. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isShuttingDown = true;
    this.activeRuns.interruptAll();
    await this.pool.beforeApplicationShutdown();
    await this.queue.stop();
  }

  private async handle(job: LeasedJob): Promise<void> {
    let execution = await insist(job.lost, () => this.take(job));
    while (execution !== null) execution = await this.walk(execution, job);
  }

  /** Under the lock of the attempt, so that a run is either taken or stopped before it started. @returns null where it was stopped */
  private take(job: LeasedJob): Promise<Execution | null> {
    return this.database.transaction(async () => {
      await this.attempts.lock(localOwner, job.data.attempt_id);
      const execution = await this.executions.claim(job.data.attempt_id, job.id, this.runner.id);
      if (execution !== null) await this.events.state(execution);
      return execution;
    });
  }

  /** @returns the step that follows, or null */
  private async walk(execution: Execution, job: LeasedJob): Promise<Execution | null> {
    const end = await this.steps.execute(execution, job);
    if (end === null) return null;
    return insist(job.lost, () =>
      this.ends.end(execution, end, { job_id: job.id, runner_id: this.runner.id }, this.isShuttingDown),
    );
  }
}
