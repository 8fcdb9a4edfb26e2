import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../../approvals/approvals.module.js';
import { approvalsToolset } from './approvals.toolset.js';

@Module({ imports: [ApprovalsModule], providers: [...approvalsToolset.tools] })
export class ApprovalsToolsetModule {}
