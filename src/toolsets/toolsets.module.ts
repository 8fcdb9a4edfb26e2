import { Injectable, Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditModule } from '../audit/audit.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { AttemptBinding, CompletionSource, InvocationSink, Offers, RunInput } from '../mcp/providers.js';
import { NetworkModule } from '../network/network.module.js';
import type { Principal } from '../platform/access/principal.js';
import { ProjectSecretsService } from '../projects/project-secrets.service.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { PullRequestsModule } from '../pull-requests/pull-requests.module.js';
import { ReferencesModule } from '../references/references.module.js';
import { ReviewModule } from '../review/review.module.js';
import { ReviewSubmissionModule } from '../second-review/review-submission.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ThoughtsModule } from '../thoughts/thoughts.module.js';
import { ToolInvocationsModule } from '../tool-invocations/tool-invocations.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { WorkModule } from '../work/work.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { CallerOffers } from './caller-offers.js';
import { StageBoardRepository } from './colibri/stage-board.repository.js';
import { StageBoardService } from './colibri/stage-board.service.js';
import { KanbanCompletions } from './kanban/kanban-completions.js';
import { reviewToolset } from './review/review.toolset.js';
import { RecordedCalls } from './recorded-calls.js';
import { TaskflowBoardRepository } from './taskflow/taskflow-board.repository.js';
import { TaskflowBoardService } from './taskflow/taskflow-board.service.js';
import { ToolCallsController } from './tool-calls.controller.js';
import { ToolCallsService } from './tool-calls.service.js';
import { toolsets } from './toolsets.js';

/** A call may be bound to an attempt that its caller can see. */
@Injectable()
class VisibleAttempts extends AttemptBinding {
  constructor(private readonly attempts: AttemptsRepository) {
    super();
  }

  async check(attempt_id: string, principal: Principal): Promise<void> {
    await this.attempts.get(principal, attempt_id);
  }
}

/** Every dialect, and the REST way to the tools of all. */
@Module({
  imports: [
    WorkersModule,
    ProjectsModule,
    TasksModule,
    ThoughtsModule,
    AttemptsModule,
    ReviewModule,
    ReviewSubmissionModule,
    SessionsModule,
    EventsModule,
    ExecutionsModule,
    ExecutorsModule,
    ApprovalsModule,
    WorkModule,
    DeliveriesModule,
    PullRequestsModule,
    ReferencesModule,
    NetworkModule,
    WorkspacesModule,
    IdempotencyModule,
    AuditModule,
    ToolInvocationsModule,
  ],
  controllers: [ToolCallsController],
  providers: [
    ToolCallsService,
    TaskflowBoardRepository,
    TaskflowBoardService,
    StageBoardRepository,
    StageBoardService,
    ...[...toolsets, reviewToolset].flatMap(({ tools }) => tools),
    { provide: InvocationSink, useClass: RecordedCalls },
    { provide: RunInput, useExisting: ProjectSecretsService },
    { provide: AttemptBinding, useClass: VisibleAttempts },
    { provide: CompletionSource, useClass: KanbanCompletions },
    { provide: Offers, useClass: CallerOffers },
  ],
})
export class ToolsetsModule {}
