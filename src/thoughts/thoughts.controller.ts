import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  CreateThoughtInput,
  ListThoughtsInput,
  ListThoughtsOutput,
  ThoughtOutput,
  toThoughtOutput,
} from './thought.dto.js';
import { ThoughtsService } from './thoughts.service.js';

@Controller('api')
export class ThoughtsController {
  constructor(private readonly thoughts: ThoughtsService) {}

  @Endpoint('POST tasks/:task_id/thought-records', {
    tag: 'thoughts',
    summary: 'Add a thought record; a task needs one before it can be DONE.',
    scope: 'write',
    status: 201,
    location: '/api/tasks/{task_id}/thought-records',
    output: ThoughtOutput,
    errors: ['task_not_found', 'not_a_member', 'too_much_stored'],
  })
  async writeThought(@Input() input: CreateThoughtInput, @Caller() caller: Principal): Promise<ThoughtOutput> {
    return toThoughtOutput(await this.thoughts.record(input, caller));
  }

  @Endpoint('GET tasks/:task_id/thought-records', {
    tag: 'thoughts',
    summary: 'List the thought records of a task.',
    scope: 'read',
    output: ListThoughtsOutput,
    errors: ['task_not_found', 'not_a_member'],
  })
  async listThoughts(@Input() input: ListThoughtsInput, @Caller() caller: Principal): Promise<ListThoughtsOutput> {
    const { records, ...page } = await this.thoughts.list(input.task_id, input, caller);
    return { records: records.map(toThoughtOutput), ...page };
  }
}
