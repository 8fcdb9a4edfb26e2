import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Execution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import { type LeasedJob, RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import { RunnerIdentity } from '../platform/queue/runner-identity.js';
import { EndRunService } from './end-run.service.js';
import { StepRunner } from './step-runner.js';

const RETRY_MS = 250;

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
    private readonly steps: StepRunner,
    private readonly ends: EndRunService,
  ) {}

  async start(): Promise<void> {
    await this.queue.work((job) => this.handle(job), this.environment.MAX_CONCURRENT_EXECUTIONS);
  }

  /** Runs are ended and written down while the connections still stand. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isShuttingDown = true;
    await this.pool.beforeApplicationShutdown();
    await this.queue.stop();
  }

  private async handle(job: LeasedJob): Promise<void> {
    const live = await this.executions.findLive(job.data.attempt_id);
    let execution = live && (await this.executions.claim(live.id, job.id, this.runner.id));
    while (execution !== null) execution = await this.walk(execution, job);
  }

  /** @returns the step that follows, or null */
  private async walk(execution: Execution, job: LeasedJob): Promise<Execution | null> {
    const end = await this.steps.execute(execution, job);
    if (end === null) return null;
    const held = { job_id: job.id, runner_id: this.runner.id };
    return this.insist(job, () => this.ends.end(execution, this.worded(end), held, this.isShuttingDown));
  }

  /** What a shutdown cut short is nobody's failure and nobody's stop. */
  private worded(end: ExecutionEnd): ExecutionEnd {
    if (!this.isShuttingDown || end.status === 'completed') return end;
    return { ...end, status: 'failed', failure_summary: 'runner lost: the server was shut down' };
  }

  /** Repeats while the database is away; if the lease runs out meanwhile, another writes the end. */
  private async insist<T>(job: LeasedJob, write: () => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (toAppError(error)?.code !== 'database_unavailable') throw error;
        if (job.lost.aborted) return null;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
