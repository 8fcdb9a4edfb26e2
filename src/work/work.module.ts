import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { DeliveriesModule } from '../deliveries/deliveries.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { PullRequestsModule } from '../pull-requests/pull-requests.module.js';
import { ReviewModule } from '../review/review.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AnswerApprovalService } from './answer-approval.service.js';
import { ArchiveService } from './archive.service.js';
import { AttemptPlan } from './attempt-plan.js';
import { DeletionService } from './deletion.service.js';
import { FollowUpPrompt } from './follow-up-prompt.js';
import { FollowUpService } from './follow-up.service.js';
import { NewTaskService } from './new-task.service.js';
import { QueueController } from './queue.controller.js';
import { QueueService } from './queue.service.js';
import { RetryService } from './retry.service.js';
import { StartService } from './start.service.js';
import { StopAttemptService } from './stop-attempt.service.js';
import { WorkController } from './work.controller.js';

const verbs = [
  NewTaskService,
  StartService,
  FollowUpService,
  QueueService,
  RetryService,
  StopAttemptService,
  AnswerApprovalService,
  DeletionService,
  ArchiveService,
];

/** What callers do with attempts: start, follow up, stop, answer and delete. */
@Module({
  imports: [
    ApprovalsModule,
    AttemptsModule,
    AuditModule,
    DeliveriesModule,
    EventsModule,
    ExecutionsModule,
    ExecutorsModule,
    IdempotencyModule,
    ProjectsModule,
    PullRequestsModule,
    ReviewModule,
    SessionsModule,
    TasksModule,
    TurnsModule,
    WorkspacesModule,
  ],
  controllers: [QueueController, WorkController],
  providers: [...verbs, AttemptPlan, FollowUpPrompt],
  exports: verbs,
})
export class WorkModule {}
