import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
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
import { FollowUpService } from './follow-up.service.js';
import { OrchestrationController } from './orchestration.controller.js';
import { StartAttemptService } from './start-attempt.service.js';
import { StartSessionService } from './start-session.service.js';
import { StopAttemptService } from './stop-attempt.service.js';

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
  ],
  controllers: [OrchestrationController],
  providers: [
    AttemptPlan,
    StartAttemptService,
    StartSessionService,
    FollowUpService,
    StopAttemptService,
    DeleteTaskService,
    DeleteProjectService,
  ],
  exports: [StartAttemptService, FollowUpService, StopAttemptService, DeleteTaskService],
})
export class OrchestrationModule {}
