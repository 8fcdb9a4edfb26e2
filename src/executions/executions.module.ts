import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AttemptEvents } from './attempt-events.js';
import { ExecutionsRepository } from './executions.repository.js';
import { LogReader } from './log-reader.js';
import { LogRepository } from './log.repository.js';
import { LogStreams } from './log-streams.js';
import { LogsController } from './logs.controller.js';
import { LogsService } from './logs.service.js';

@Module({
  imports: [AttemptsModule],
  controllers: [LogsController],
  providers: [ExecutionsRepository, LogRepository, LogReader, LogsService, LogStreams, AttemptEvents],
  exports: [ExecutionsRepository, LogRepository, LogsService, AttemptEvents],
})
export class ExecutionsModule {}
