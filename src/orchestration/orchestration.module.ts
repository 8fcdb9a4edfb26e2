import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AttemptPlan } from './attempt-plan.js';
import { DeleteProjectService } from './delete-project.service.js';
import { DeleteTaskService } from './delete-task.service.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliverySubjects } from './delivery-subjects.service.js';
import { DeliveryTrace } from './delivery-trace.js';
import { ExecutorChoice } from './executor-choice.js';
import { FollowUpService } from './follow-up.service.js';
import { MergeAttemptService } from './merge-attempt.service.js';
import { MergeLanding } from './merge-landing.service.js';
import { MergePlan } from './merge-plan.js';
import { OrchestrationController } from './orchestration.controller.js';
import { ResolvePrompt } from './resolve-prompt.js';
import { RetargetAttemptService } from './retarget-attempt.service.js';
import { StartAttemptService } from './start-attempt.service.js';
import { StartSessionService } from './start-session.service.js';
import { StopAttemptService } from './stop-attempt.service.js';
import { UndoMergeService } from './undo-merge.service.js';
import { UpdateAttemptBranchService } from './update-attempt-branch.service.js';
import { WaitingFollowUps } from './waiting-follow-ups.js';

/** The verbs that callers ask for. */
@Module({
  imports: [
    AuditModule,
    ProjectsModule,
    TasksModule,
    AttemptsModule,
    SessionsModule,
    ExecutionsModule,
    ExecutorsModule,
    WorkspacesModule,
    IdempotencyModule,
    TurnsModule,
    DeliveriesModule,
    EventsModule,
  ],
  controllers: [OrchestrationController, DeliveryController],
  providers: [
    AttemptPlan,
    ExecutorChoice,
    StartAttemptService,
    StartSessionService,
    FollowUpService,
    ResolvePrompt,
    WaitingFollowUps,
    StopAttemptService,
    DeleteTaskService,
    DeleteProjectService,
    DeliverySubjects,
    DeliveryTrace,
    MergePlan,
    MergeLanding,
    MergeAttemptService,
    UndoMergeService,
    UpdateAttemptBranchService,
    RetargetAttemptService,
  ],
  exports: [
    StartAttemptService,
    FollowUpService,
    StopAttemptService,
    DeleteTaskService,
    MergeAttemptService,
    UndoMergeService,
    UpdateAttemptBranchService,
  ],
})
export class OrchestrationModule {}
