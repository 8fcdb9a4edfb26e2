import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { InboxOutput, ReadInboxInput } from './inbox.dto.js';
import { InboxService } from './inbox.service.js';
import { NoticesOutput, ReadMarkOutput } from './notices.dto.js';
import { NoticesService } from './notices.service.js';

@ApiTags('tasks')
@Controller('api/inbox')
export class InboxController {
  constructor(
    private readonly inbox: InboxService,
    private readonly notices: NoticesService,
  ) {}

  @Endpoint('GET', {
    summary: 'List tasks of all your projects that wait for a person: failed runs and reviews.',
    scope: 'read',
    output: InboxOutput,
    errors: ['query_too_broad'],
  })
  readInbox(@Input() input: ReadInboxInput, @Caller() caller: Principal): Promise<InboxOutput> {
    return this.inbox.read(input, caller);
  }

  @Endpoint('GET notices', {
    summary: 'List what addresses you: questions of agents in your projects, and the ends of runs that you watch.',
    scope: 'read',
    output: NoticesOutput,
    errors: ['query_too_broad'],
  })
  listNotices(@Caller() caller: Principal): Promise<NoticesOutput> {
    return this.notices.list(caller);
  }

  @Endpoint('POST read', {
    summary: 'Mark all of your inbox as read; what comes later is unread again.',
    scope: 'read',
    output: ReadMarkOutput,
    errors: ['forbidden'],
  })
  markInboxRead(@Caller() caller: Principal): Promise<ReadMarkOutput> {
    return this.notices.markRead(caller);
  }
}
