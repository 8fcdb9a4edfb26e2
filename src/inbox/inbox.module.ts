import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { InboxController } from './inbox.controller.js';
import { InboxRepository } from './inbox.repository.js';
import { InboxService } from './inbox.service.js';
import { NoticesRepository } from './notices.repository.js';
import { NoticesService } from './notices.service.js';
import { WatchController } from './watch.controller.js';

/** What waits for people, and what each of them asked to be told. */
@Module({
  imports: [TasksModule],
  controllers: [InboxController, WatchController],
  providers: [InboxRepository, InboxService, NoticesRepository, NoticesService],
})
export class InboxModule {}
