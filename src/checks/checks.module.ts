import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { AttemptChecksService } from './attempt-checks.service.js';
import { CheckRunsRepository } from './check-runs.repository.js';
import { RepoChecksController } from './repo-checks.controller.js';
import { RepoChecksRepository } from './repo-checks.repository.js';
import { RepoChecksService } from './repo-checks.service.js';

@Module({
  imports: [AuditModule, ProjectsModule, StorageModule],
  controllers: [RepoChecksController],
  providers: [AttemptChecksService, CheckRunsRepository, RepoChecksRepository, RepoChecksService],
  exports: [AttemptChecksService, CheckRunsRepository, RepoChecksRepository],
})
export class ChecksModule {}
