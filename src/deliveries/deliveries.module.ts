import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { DeliveriesService } from './deliveries.service.js';
import { PullRequestCommentsRepository } from './pull-request-comments.repository.js';
import { PullRequestsRepository } from './pull-requests.repository.js';

@Module({
  imports: [AttemptsModule, ProjectsModule, WorkspacesModule],
  controllers: [DeliveriesController],
  providers: [DeliveriesRepository, PullRequestsRepository, PullRequestCommentsRepository, DeliveriesService],
  exports: [DeliveriesRepository, PullRequestsRepository, PullRequestCommentsRepository, DeliveriesService],
})
export class DeliveriesModule {}
