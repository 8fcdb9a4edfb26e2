import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';
import { ProjectChanges } from './project-changes.service.js';

@Module({
  controllers: [EventsController],
  providers: [EventsRepository, EventLog, EventFeed, ProjectChanges],
  exports: [EventsRepository, EventLog, ProjectChanges],
})
export class EventsModule {}
