import { Controller, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Readable } from 'node:stream';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ExecutionTarget, ListExecutionsInput, ListExecutionsOutput } from './execution.dto.js';
import { ExecutionsService } from './executions.service.js';

@ApiTags('logs')
@Controller('api')
export class ExecutionsController {
  constructor(private readonly executions: ExecutionsService) {}

  @Endpoint('GET attempts/:attempt_id/executions', {
    summary: 'List the executions of an attempt, newest first: how each ended, what it took and used.',
    scope: 'read',
    output: ListExecutionsOutput,
    errors: ['attempt_not_found'],
  })
  listExecutions(@Input() input: ListExecutionsInput, @Caller() caller: Principal): Promise<ListExecutionsOutput> {
    return this.executions.list(input, caller);
  }

  @Endpoint('GET executions/:execution_process_id/log.txt', {
    summary: 'Download what an execution has printed, as plain text.',
    scope: 'read',
    output: 'text',
    errors: ['execution_not_found'],
  })
  async downloadLog(@Input() input: ExecutionTarget, @Caller() caller: Principal): Promise<StreamableFile> {
    const text = await this.executions.text(input.execution_process_id, caller);
    return new StreamableFile(Readable.from(text), { type: 'text/plain; charset=utf-8' });
  }
}
