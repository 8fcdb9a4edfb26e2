import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ActiveRuns } from './active-runs.js';
import { AttemptPlan } from './attempt-plan.js';
import { DeleteService } from './delete.service.js';
import { EndRunService } from './end-run.service.js';
import { FollowUpService } from './follow-up.service.js';
import { Housekeeping } from './housekeeping.js';
import { LaunchAttemptService } from './launch-attempt.service.js';
import { OrchestrationController } from './orchestration.controller.js';
import { OwnServer } from './own-server.js';
import { RunAudit } from './run-audit.js';
import { RunRecovery } from './run-recovery.js';
import { RunWorker } from './run-worker.js';
import { StepPlanner } from './step-plan.js';
import { StepRunner } from './step-runner.js';
import { StopAttemptService } from './stop-attempt.service.js';
import { TurnCommits } from './turn-commits.js';
import { TurnsService } from './turns.service.js';

@Module({
  imports: [
    ApprovalsModule,
    AuditModule,
    ProjectsModule,
    TasksModule,
    AttemptsModule,
    SessionsModule,
    ExecutionsModule,
    ExecutorsModule,
    WorkspacesModule,
    IdempotencyModule,
  ],
  controllers: [OrchestrationController],
  providers: [
    ProcessPool,
    ActiveRuns,
    OwnServer,
    RunAudit,
    AttemptPlan,
    TurnsService,
    StepPlanner,
    TurnCommits,
    StepRunner,
    EndRunService,
    RunRecovery,
    RunWorker,
    Housekeeping,
    LaunchAttemptService,
    FollowUpService,
    StopAttemptService,
    DeleteService,
  ],
  exports: [LaunchAttemptService, FollowUpService, StopAttemptService, DeleteService],
})
export class OrchestrationModule implements OnApplicationBootstrap {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly recovery: RunRecovery,
    private readonly worker: RunWorker,
    private readonly housekeeping: Housekeeping,
  ) {}

  /** A server that only serves takes no jobs. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.environment.ROLE === 'api') return;
    await this.recovery.start();
    this.worker.start();
    await this.housekeeping.start();
  }
}
