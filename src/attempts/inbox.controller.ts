import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { InboxOutput, ReadInboxInput } from './inbox.dto.js';
import { InboxService } from './inbox.service.js';

@ApiTags('tasks')
@Controller('api/inbox')
export class InboxController {
  constructor(private readonly inbox: InboxService) {}

  @Endpoint('GET', {
    summary: 'List tasks of all your projects that wait for a person: failed runs and reviews.',
    scope: 'read',
    output: InboxOutput,
    errors: ['query_too_broad'],
  })
  readInbox(@Input() input: ReadInboxInput, @Caller() caller: Principal): Promise<InboxOutput> {
    return this.inbox.read(input, caller);
  }
}
