import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { CommentsModule } from '../comments/comments.module.js';
import { ContinuationsModule } from '../continuations/continuations.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { RequestedChanges } from './requested-changes.js';
import { ReviewBrief } from './review-brief.js';
import { SecondReviewTrace } from './second-review-trace.js';
import { SecondReviews } from './second-reviews.service.js';

/** What begins reviews by a second agent and follows them, wherever turns end. */
@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    CommentsModule,
    ContinuationsModule,
    EventsModule,
    ExecutionsModule,
    ExecutorsModule,
    ProjectsModule,
    SessionsModule,
    TasksModule,
    TurnsModule,
    WorkspacesModule,
  ],
  providers: [RequestedChanges, ReviewBrief, SecondReviews, SecondReviewTrace],
  exports: [ReviewBrief, SecondReviewTrace],
})
export class SecondReviewModule {}
