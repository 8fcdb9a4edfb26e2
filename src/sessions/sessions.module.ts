import { Module } from '@nestjs/common';
import { AttemptsModule } from '../attempts/attempts.module.js';
import { AgentSessionFilesRepository } from './agent-session-files.repository.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

@Module({
  imports: [AttemptsModule],
  controllers: [SessionsController],
  providers: [AgentSessionFilesRepository, SessionsRepository, SessionsService],
  exports: [AgentSessionFilesRepository, SessionsRepository, SessionsService],
})
export class SessionsModule {}
