import { Controller, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { ListExecutorsInput, ServerExecutorsOutput } from './executor.dto.js';
import { ExecutorsService } from './executors.service.js';

@ApiTags('executors')
@Controller('api/executors')
export class ExecutorsController {
  constructor(
    private readonly executors: ExecutorsService,
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List executors and their availability.',
    scope: 'read',
    input: ListExecutorsInput,
    output: ServerExecutorsOutput,
    errors: [],
  })
  async listExecutors(@Input(ListExecutorsInput) _: ListExecutorsInput): Promise<ServerExecutorsOutput> {
    const { isolation, reason, limits } = this.sandbox;
    return { ...(await this.executors.list()), isolation, isolation_reason: reason, limits };
  }
}
