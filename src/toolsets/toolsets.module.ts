import { Module } from '@nestjs/common';
import { ToolCallsController } from './tool-calls.controller.js';
import { ToolCallsService } from './tool-calls.service.js';

/** The REST way to the tools; the dialects' own modules provide them. */
@Module({ controllers: [ToolCallsController], providers: [ToolCallsService] })
export class ToolsetsModule {}
