import { Module } from '@nestjs/common';
import { WorkersModule } from '../workers/workers.module.js';
import { PageSessionsRepository } from './page-sessions.repository.js';
import { PageSessions } from './page-sessions.service.js';
import { SessionController } from './session.controller.js';
import { SignInLink } from './sign-in-link.js';

@Module({
  imports: [WorkersModule],
  controllers: [SessionController],
  providers: [PageSessionsRepository, PageSessions, SignInLink],
})
export class PagesModule {}
