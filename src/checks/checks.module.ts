import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { EventsModule } from '../events/events.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { AttemptChecksService } from './attempt-checks.service.js';
import { CheckBaselinesRepository } from './check-baselines.repository.js';
import { CheckedWork } from './checked-work.service.js';
import { CheckRunsRepository } from './check-runs.repository.js';
import { CheckTrace } from './check-trace.js';
import { RepoChecksController } from './repo-checks.controller.js';
import { RepoChecksRepository } from './repo-checks.repository.js';
import { RepoChecksService } from './repo-checks.service.js';

@Module({
  imports: [
    AttemptsModule,
    AuditModule,
    WorkspacesModule,
    EventsModule,
    ExecutionsModule,
    ProjectsModule,
    StorageModule,
  ],
  controllers: [RepoChecksController],
  providers: [
    AttemptChecksService,
    CheckBaselinesRepository,
    CheckedWork,
    CheckRunsRepository,
    CheckTrace,
    RepoChecksRepository,
    RepoChecksService,
  ],
  exports: [
    AttemptChecksService,
    CheckBaselinesRepository,
    CheckedWork,
    CheckRunsRepository,
    CheckTrace,
    RepoChecksRepository,
    RepoChecksService,
  ],
})
export class ChecksModule {}
