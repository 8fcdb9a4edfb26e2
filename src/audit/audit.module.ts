import { Module } from '@nestjs/common';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { ToolInvocationLog } from './tool-invocation-log.js';
import { ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolInvocationsRepository } from './tool-invocations.repository.js';

@Module({
  controllers: [ToolInvocationsController],
  providers: [AuditRepository, AuditService, ToolInvocationsRepository, ToolInvocationLog],
  exports: [AuditService, ToolInvocationLog, ToolInvocationsRepository],
})
export class AuditModule {}
