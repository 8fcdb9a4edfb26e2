import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../../approvals/approvals.module.js';
import { OrchestrationModule } from '../../orchestration/orchestration.module.js';
import { approvalsToolset } from './approvals.toolset.js';

@Module({ imports: [ApprovalsModule, OrchestrationModule], providers: [...approvalsToolset.tools] })
export class ApprovalsToolsetModule {}
