import { Module } from '@nestjs/common';
import { EventFeed } from './event-feed.js';
import { EventLog } from './event-log.js';
import { EventsController } from './events.controller.js';
import { EventsRepository } from './events.repository.js';

@Module({
  controllers: [EventsController],
  providers: [EventsRepository, EventLog, EventFeed],
  exports: [EventsRepository, EventLog],
})
export class EventsModule {}
