import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Execution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import { type LeasedJob, RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import { RunnerIdentity } from '../platform/queue/runner-identity.js';
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
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    private readonly runner: RunnerIdentity,
    private readonly pool: ProcessPool,
    private readonly executions: ExecutionsRepository,
    private readonly activeRuns: ActiveRuns,
    private readonly steps: StepRunner,
    private readonly ends: EndRunService,
  ) {}

  async start(): Promise<void> {
    await this.queue.work((job) => this.handle(job), this.environment.MAX_CONCURRENT_EXECUTIONS);
  }

  /** Runs are ended and written down while the connections still stand. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isShuttingDown = true;
    this.activeRuns.interruptAll();
    await this.pool.beforeApplicationShutdown();
    await this.queue.stop();
  }

  private async handle(job: LeasedJob): Promise<void> {
    let execution = await insist(job.lost, () => this.executions.claim(job.data.attempt_id, job.id, this.runner.id));
    while (execution !== null) execution = await this.walk(execution, job);
  }

  /** @returns the step that follows, or null */
  private async walk(execution: Execution, job: LeasedJob): Promise<Execution | null> {
    const end = await this.steps.execute(execution, job);
    if (end === null) return null;
    return insist(job.lost, () => this.ends.end(execution, end, { job_id: job.id, runner_id: this.runner.id }, this.isShuttingDown));
  }
}
