import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { ContinuationFiring } from './continuation-firing.js';
import { ContinuationFollower } from './continuation-follower.js';
import { ContinuationTimer } from './continuation-timer.js';
import { ContinuationTrace } from './continuation-trace.js';
import { ContinuationsController } from './continuations.controller.js';
import { ContinuationsRepository } from './continuations.repository.js';
import { ContinuationsService } from './continuations.service.js';
import { RetriesService } from './retries.service.js';

/** What attempts go on with by themselves, in every role. */
@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    EventsModule,
    ExecutionsModule,
    ExecutorsModule,
    ProjectsModule,
    SessionsModule,
    TurnsModule,
  ],
  controllers: [ContinuationsController],
  providers: [
    ContinuationFiring,
    ContinuationFollower,
    ContinuationTimer,
    ContinuationTrace,
    ContinuationsRepository,
    ContinuationsService,
    RetriesService,
  ],
  exports: [ContinuationsService, ContinuationsRepository],
})
export class ContinuationsModule {}
