import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ChecksModule } from '../checks/checks.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { TurnsModule } from '../turns/turns.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AttemptChecksController } from './attempt-checks.controller.js';
import { CheckRunsService } from './check-runs.service.js';
import { ChecksFollower } from './checks-follower.js';
import { RequestChecksService } from './request-checks.service.js';
import { TamperedFiles } from './tampered-files.js';
import { TamperingConsent } from './tampering-consent.js';
import { ViewChecksService } from './view-checks.service.js';

/** Runs the checks of attempts, and shows them. */
@Module({
  imports: [
    ApprovalsModule,
    AttemptsModule,
    ChecksModule,
    ExecutionsModule,
    ProjectsModule,
    SessionsModule,
    TurnsModule,
    WorkspacesModule,
  ],
  controllers: [AttemptChecksController],
  providers: [
    CheckRunsService,
    ChecksFollower,
    RequestChecksService,
    TamperedFiles,
    TamperingConsent,
    ViewChecksService,
  ],
  exports: [CheckRunsService, RequestChecksService, TamperingConsent, ViewChecksService],
})
export class CheckRunsModule {}
