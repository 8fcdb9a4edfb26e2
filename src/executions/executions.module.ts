import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { EventsModule } from '../events/events.module.js';
import { RunTokens } from '../platform/access/bearer-tokens.js';
import { AttemptEvents } from './attempt-events.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsRepository } from './executions.repository.js';
import { ExecutionsService } from './executions.service.js';
import { LogReader } from './log-reader.js';
import { LogRepository } from './log.repository.js';
import { LogStreams } from './log-streams.js';
import { LogsController } from './logs.controller.js';
import { LogsService } from './logs.service.js';
import { LiveTurns } from './live-turns.js';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';
import { UsageService } from './usage.service.js';
import { RunTokensService } from './run-tokens.service.js';

@Module({
  imports: [AttemptsModule, EventsModule],
  controllers: [LogsController, ExecutionsController, UsageController],
  providers: [
    ExecutionsRepository,
    ExecutionsService,
    UsageRepository,
    UsageService,
    LogRepository,
    LogReader,
    LogsService,
    LogStreams,
    AttemptEvents,
    LiveTurns,
    RunTokensService,
    { provide: RunTokens, useExisting: RunTokensService },
  ],
  exports: [ExecutionsRepository, RunTokensService, LogRepository, LogsService, AttemptEvents],
})
export class ExecutionsModule {}
