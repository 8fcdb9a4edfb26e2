import { Module } from '@nestjs/common';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { ProjectsController } from './projects.controller.js';
import { ProjectsRepository } from './projects.repository.js';
import { ProjectsService } from './projects.service.js';
import { RepoRegistration } from './repo-registration.js';
import { ReposRepository } from './repos.repository.js';

@Module({
  imports: [WorkspacesModule],
  controllers: [ProjectsController],
  providers: [ProjectsRepository, ReposRepository, RepoRegistration, ProjectsService],
  exports: [ProjectsRepository, ReposRepository, ProjectsService],
})
export class ProjectsModule {}
