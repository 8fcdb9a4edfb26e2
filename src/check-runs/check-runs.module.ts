import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { AttemptChecksController } from './attempt-checks.controller.js';
import { CheckRunsService } from './check-runs.service.js';
import { ChecksFollower } from './checks-follower.js';
import { RequestChecksService } from './request-checks.service.js';
import { ViewChecksService } from './view-checks.service.js';

/** Runs the checks of attempts, and shows them. */
@Module({
  imports: [AttemptsModule, ChecksModule, ExecutionsModule, ProjectsModule, SessionsModule, TurnsModule],
  controllers: [AttemptChecksController],
  providers: [CheckRunsService, ChecksFollower, RequestChecksService, ViewChecksService],
  exports: [CheckRunsService, RequestChecksService, ViewChecksService],
})
export class CheckRunsModule {}
