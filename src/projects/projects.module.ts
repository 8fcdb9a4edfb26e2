import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { PrincipalSource } from '../platform/access/principal-source.js';
import { EgressModule } from '../egress/egress.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ActingWorkerService } from './acting-worker.service.js';
import { ProjectMembersController } from './project-members.controller.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { ProjectMembersService } from './project-members.service.js';
import { ProjectNetworks } from './project-networks.js';
import { ProjectPools } from './project-pools.js';
import { ProjectVerification } from './project-verification.js';
import { ProjectSecretsController } from './project-secrets.controller.js';
import { ProjectSecretsRepository } from './project-secrets.repository.js';
import { ProjectSecretsService } from './project-secrets.service.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { RepoChanges } from './repo-changes.service.js';
import { RepoRegistration } from './repo-registration.js';
import { ReposRepository } from './repos.repository.js';

@Module({
  imports: [AuditModule, EgressModule, ExecutorsModule, SecretsModule, StorageModule, WorkersModule, WorkspacesModule],
  controllers: [ProjectsController, ProjectMembersController, ProjectSecretsController],
  providers: [
    ProjectMembersRepository,
    ProjectMembersService,
    ProjectSecretsRepository,
    ProjectSecretsService,
    ActingWorkerService,
    { provide: PrincipalSource, useExisting: ActingWorkerService },
    ProjectsRepository,
    ReposRepository,
    RepoRegistration,
    RepoChanges,
    ProjectNetworks,
    ProjectPools,
    ProjectVerification,
    ProjectsService,
  ],
  exports: [
    ProjectsRepository,
    ProjectMembersRepository,
    ReposRepository,
    ProjectSecretsService,
    ProjectsService,
    ActingWorkerService,
    PrincipalSource,
    RepoRegistration,
  ],
})
export class ProjectsModule {}
