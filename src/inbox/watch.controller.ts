import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { TaskTarget } from '../tasks/task.dto.js';
import { WatchOutput, WatchTaskInput } from './notices.dto.js';
import { NoticesService } from './notices.service.js';

@ApiTags('tasks')
@Controller('api')
export class WatchController {
  constructor(private readonly notices: NoticesService) {}

  @Endpoint('GET tasks/:task_id/watch', {
    summary: 'Say whether you are told when a run of a task ends or asks.',
    scope: 'read',
    output: WatchOutput,
    errors: ['task_not_found', 'not_a_member'],
  })
  getWatch(@Input() { task_id }: TaskTarget, @Caller() caller: Principal): Promise<WatchOutput> {
    return this.notices.get(task_id, caller);
  }

  @Endpoint('POST tasks/:task_id/watch', {
    summary: 'Be told in your inbox when a run of a task ends or asks, or no longer; nobody else learns of it.',
    scope: 'read',
    output: WatchOutput,
    errors: ['task_not_found', 'not_a_member', 'forbidden'],
  })
  watchTask(@Input() input: WatchTaskInput, @Caller() caller: Principal): Promise<WatchOutput> {
    return this.notices.watch(input, caller);
  }
}
