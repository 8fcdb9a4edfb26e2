import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { offsetPage, pageLimit } from '../platform/fields/paging.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ServerExecutorsInput, ServerExecutorsOutput } from './executor.dto.js';
import { ExecutorCatalogue } from './executor-catalogue.js';
import { RunWalls } from './run-walls.js';

@ApiTags('executors')
@Controller('api/executors')
export class ExecutorsController {
  constructor(
    private readonly executors: ExecutorCatalogue,
    private readonly walls: RunWalls,
  ) {}

  @Endpoint('GET', {
    summary: 'List executors and their availability.',
    scope: 'read',
    output: ServerExecutorsOutput,
  })
  async listExecutors(@Input() input: ServerExecutorsInput): Promise<ServerExecutorsOutput> {
    const executors = await this.executors.list();
    const { rows, ...page } = offsetPage(executors.slice(input.cursor), pageLimit(input.limit), input.cursor);
    return { executors: rows, ...page, ...(await this.walls.weakest()) };
  }
}
