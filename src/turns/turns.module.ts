import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { NetworkModule } from '../network/network.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ActiveTurns } from './active-turns.js';
import { CheckSteps } from './check-steps.js';
import { ExecutorChoice } from './executor-choice.js';
import { LostTurns } from './lost-turns.js';
import { MessageEvents } from './message-events.js';
import { TurnAuthors } from './turn-authors.js';
import { TurnExecutions } from './turn-executions.js';
import { TurnFollowers } from './turn-followers.js';
import { TurnsService } from './turns.service.js';
import { TurnLimits } from './turn-limits.js';
import { TurnTrace } from './turn-trace.js';
import { WaitingMessages } from './waiting-messages.js';

@Module({
  imports: [
    ApprovalsModule,
    AttemptsModule,
    AuditModule,
    ChecksModule,
    CommentsModule,
    EventsModule,
    ExecutionsModule,
    ExecutorsModule,
    NetworkModule,
    ProjectsModule,
    SessionsModule,
    StorageModule,
    TasksModule,
  ],
  providers: [
    ActiveTurns,
    CheckSteps,
    ExecutorChoice,
    LostTurns,
    MessageEvents,
    TurnAuthors,
    TurnExecutions,
    TurnFollowers,
    TurnLimits,
    TurnTrace,
    WaitingMessages,
    TurnsService,
  ],
  exports: [ActiveTurns, CheckSteps, ExecutorChoice, TurnAuthors, TurnFollowers, TurnsService, WaitingMessages],
})
export class TurnsModule {}
