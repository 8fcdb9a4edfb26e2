import { Module } from '@nestjs/common';
import { ToolInvocationLog } from './tool-invocation-log.js';
import { ToolInvocationsController } from './tool-invocations.controller.js';
import { ToolInvocationsRepository } from './tool-invocations.repository.js';

@Module({
  controllers: [ToolInvocationsController],
  providers: [ToolInvocationsRepository, ToolInvocationLog],
  exports: [ToolInvocationLog, ToolInvocationsRepository],
})
export class ToolInvocationsModule {}
