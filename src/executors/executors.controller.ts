import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { offsetPage, pageLimit } from '../platform/fields/paging.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ServerExecutorsInput, ServerExecutorsOutput } from './executor.dto.js';
import { ExecutorsService } from './executors.service.js';
import { RunWalls } from './run-walls.js';

@ApiTags('executors')
@Controller('api/executors')
export class ExecutorsController {
  constructor(
    private readonly executors: ExecutorsService,
    private readonly walls: RunWalls,
  ) {}

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List executors and their availability.',
    scope: 'read',
    input: ServerExecutorsInput,
    output: ServerExecutorsOutput,
    errors: [],
  })
  async listExecutors(@Input(ServerExecutorsInput) input: ServerExecutorsInput): Promise<ServerExecutorsOutput> {
    const { executors } = await this.executors.list();
    const { rows, ...page } = offsetPage(executors.slice(input.cursor), pageLimit(input.limit), input.cursor);
    return { executors: rows, ...page, ...(await this.walls.weakest()) };
  }
}
