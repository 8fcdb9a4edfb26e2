import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { InvocationSink } from '../mcp/invocation-sink.js';
import { ToolInvocationsModule } from '../tool-invocations/tool-invocations.module.js';
import { ApprovalsToolsetModule } from './approvals/approvals-toolset.module.js';
import { ColibriModule } from './colibri/colibri.module.js';
import { KanbanModule } from './kanban/kanban.module.js';
import { RecordedCalls } from './recorded-calls.js';
import { TaskflowModule } from './taskflow/taskflow.module.js';
import { ToolCallsController } from './tool-calls.controller.js';
import { ToolCallsService } from './tool-calls.service.js';

/** Every dialect, and the REST way to the tools of all. */
@Module({
  imports: [AuditModule, KanbanModule, TaskflowModule, ColibriModule, ApprovalsToolsetModule, ToolInvocationsModule],
  controllers: [ToolCallsController],
  providers: [ToolCallsService, { provide: InvocationSink, useClass: RecordedCalls }],
})
export class ToolsetsModule {}
