import { Inject, Injectable, Logger } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import { Database } from '../platform/database/database.js';
import { RUN_QUEUE, type RunQueue } from '../platform/queue/run-queue.js';
import { RunnerIdentity } from '../platform/queue/runner-identity.js';
import { EndRunService } from './end-run.service.js';

/** Ends what a killed server left: its own leftovers at its next start, those of silent runners by the dead letter. */
@Injectable()
export class RunRecovery {
  private readonly logger = new Logger(RunRecovery.name);

  constructor(
    @Inject(RUN_QUEUE) private readonly queue: RunQueue,
    private readonly database: Database,
    private readonly runner: RunnerIdentity,
    private readonly pool: ProcessPool,
    private readonly attempts: AttemptsRepository,
    private readonly executions: ExecutionsRepository,
    private readonly ends: EndRunService,
  ) {}

  /** Before the first job is taken: while this runner was away, nothing of it can be running. */
  async start(): Promise<void> {
    const leftovers = await this.executions.listRunningOf(this.runner.id);
    await this.pool.sweep(leftovers.map((execution) => execution.id));
    for (const execution of leftovers) await this.ends.endLost(execution, 'the server was restarted');
    if (leftovers.length) this.logger.warn(`${leftovers.length} runs of the last server were ended as failed`);
    await this.runKeptMessages();
    await this.queue.onLost((attempt_id, job_id) => this.endSilent(attempt_id, job_id));
  }

  private async endSilent(attempt_id: string, job_id: string): Promise<void> {
    const live = await this.executions.findLive(attempt_id);
    if (live?.job_id === job_id) await this.ends.endLost(live, 'it went silent');
  }

  /** Messages that a shutdown left waiting behind a run that it ended. */
  private async runKeptMessages(): Promise<void> {
    for (const attempt_id of await this.executions.listIdleWithMessage()) {
      await this.database.transaction(async (tx) => {
        const attempt = await this.attempts.lock(localOwner, attempt_id);
        if (!(await this.executions.findLive(attempt_id))) await this.ends.runWaiting(tx, attempt, null);
      });
    }
  }
}
