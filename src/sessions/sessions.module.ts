import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AgentSessionFilesRepository } from './agent-session-files.repository.js';
import { QueuedMessagesRepository } from './queued-messages.repository.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [AttemptsModule],
  controllers: [SessionsController],
  providers: [AgentSessionFilesRepository, QueuedMessagesRepository, SessionsRepository, SessionsService],
  exports: [AgentSessionFilesRepository, QueuedMessagesRepository, SessionsRepository, SessionsService],
})
export class SessionsModule {}
