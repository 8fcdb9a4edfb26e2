import type { Server } from 'node:net';
import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ToolInvocationsModule } from '../tool-invocations/tool-invocations.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { placesOf } from '../cluster/runner-entry.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { EgressModule } from '../egress/egress.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { NetworkModule } from '../network/network.module.js';
import { ProcessPool } from '../platform/process/process-pool.js';
import { SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SecondReviewModule } from '../second-review/second-review.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AgentSessions } from './agent-sessions.js';
import { AgentStates } from './agent-states.js';
import { AbandonedClones } from './housekeeping/abandoned-clones.js';
import { CheckOutcomes } from './check-outcomes.js';
import { CheckPlanner } from './check-planner.js';
import { CheckPlanning } from './check-planning.js';
import { CheckRunner } from './check-runner.js';
import { ExecutionPlanner } from './execution-planner.js';
import { ExecutionRunner } from './execution-runner.js';
import { FoundExecutors } from './found-executors.js';
import { Housekeeping } from './housekeeping/housekeeping.js';
import { IdlePreparation } from './housekeeping/idle-preparation.js';
import { OneAttempt } from './one-attempt.js';
import { OwnServer } from './own-server.js';
import { ProcessSupervisor } from './process-supervisor.js';
import { LocalRetention } from './housekeeping/local-retention.js';
import { Retention } from './housekeeping/retention.js';
import { TurnCommits } from './turn-commits.js';
import { StrayWorktrees } from './housekeeping/stray-worktrees.js';
import { TurnRecovery } from './turn-recovery.js';
import { TurnWorker } from './turn-worker.js';
import { WaysOut } from './ways-out.js';
import { WorkspaceDisposal } from './housekeeping/workspace-disposal.js';
import { WorkspaceExpiry } from './housekeeping/workspace-expiry.js';
import { SavedWork } from './saved-work.js';
import { WorkspacePreparation } from './workspace-preparation.js';

/** What a runner does by itself; not loaded with ROLE=api. */
@Module({
  imports: [
    ApprovalsModule,
    AttemptsModule,
    AuditModule,
    ChecksModule,
    CommentsModule,
    ToolInvocationsModule,
    EventsModule,
    ExecutionsModule,
    ExecutorsModule,
    IdempotencyModule,
    EgressModule,
    NetworkModule,
    ProjectsModule,
    SecondReviewModule,
    SessionsModule,
    TasksModule,
    TurnsModule,
    WorkspacesModule,
  ],
  providers: [
    {
      provide: ProcessPool,
      inject: [RunnerLease, SANDBOX],
      useFactory: (lease: RunnerLease, sandbox: Sandbox) => {
        sandbox.holdBy(() => lease.heldUntil);
        return new ProcessPool(() => lease.heldUntil);
      },
    },
    OwnServer,
    WorkspacePreparation,
    IdlePreparation,
    SavedWork,
    AgentSessions,
    AgentStates,
    WorkspaceDisposal,
    WorkspaceExpiry,
    ExecutionPlanner,
    CheckPlanner,
    CheckPlanning,
    CheckOutcomes,
    CheckRunner,
    WaysOut,
    ProcessSupervisor,
    TurnCommits,
    ExecutionRunner,
    TurnRecovery,
    OneAttempt,
    TurnWorker,
    AbandonedClones,
    StrayWorktrees,
    Retention,
    LocalRetention,
    Housekeeping,
    FoundExecutors,
  ],
})
export class RunnerModule implements OnApplicationBootstrap {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly recovery: TurnRecovery,
    private readonly worker: TurnWorker,
    private readonly housekeeping: Housekeeping,
    private readonly foundExecutors: FoundExecutors,
    private readonly strays: StrayWorktrees,
    private readonly http: HttpAdapterHost,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.foundExecutors.start();
    await this.recovery.start();
    if (this.environment.RUNNER_LIFE !== 'attempt') await this.housekeeping.start(); // what it made would go with it
    this.strays.start();
    this.whenListening(() => this.worker.start(placesOf(this.environment)));
  }

  /** Starts once the server listens, because agents need its address. */
  private whenListening(start: () => void): void {
    (this.http.httpAdapter.getHttpServer() as Server).once('listening', start);
  }
}
