import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { EgressModule } from '../egress/egress.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExecutorsModule } from '../executors/executors.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AttemptNetworkController } from './attempt-network.controller.js';
import { HostRequests } from './host-requests.service.js';
import { NetworkDenialsRepository } from './network-denials.repository.js';
import { RunNetworks } from './run-networks.service.js';
import { UnlistedHosts } from './unlisted-hosts.js';

/** What runs reach, what they were refused, and what they ask for. */
@Module({
  imports: [
    ApprovalsModule,
    AttemptsModule,
    EgressModule,
    ExecutionsModule,
    ExecutorsModule,
    ProjectsModule,
    SessionsModule,
  ],
  controllers: [AttemptNetworkController],
  providers: [RunNetworks, NetworkDenialsRepository, UnlistedHosts, HostRequests],
  exports: [RunNetworks, NetworkDenialsRepository, UnlistedHosts, HostRequests],
})
export class NetworkModule {}
