import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ApprovalRequestsService } from './approval-requests.service.js';
import { ApprovalRulesController } from './approval-rules.controller.js';
import { ApprovalRulesRepository } from './approval-rules.repository.js';
import { ApprovalRules } from './approval-rules.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { ApprovalsService } from './approvals.service.js';
import { DeliveryApprovals } from './delivery-approvals.service.js';
import { HostGrants } from './host-grants.service.js';

@Module({
  imports: [AuditModule, ExecutionsModule, ProjectsModule],
  controllers: [ApprovalsController, ApprovalRulesController],
  providers: [
    ApprovalsRepository,
    ApprovalsService,
    ApprovalRequestsService,
    ApprovalRules,
    ApprovalRulesRepository,
    DeliveryApprovals,
    HostGrants,
  ],
  exports: [ApprovalsRepository, ApprovalsService, ApprovalRequestsService, DeliveryApprovals],
})
export class ApprovalsModule {}
