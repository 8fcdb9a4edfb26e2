import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ListExecutorsInput, ListExecutorsOutput } from './executor.dto.js';
import { ExecutorsService } from './executors.service.js';

@ApiTags('executors')
@Controller('api/executors')
export class ExecutorsController {
  constructor(private readonly executors: ExecutorsService) {}

  @Endpoint({
    method: 'GET',
    path: '',
    summary: 'List executors and their availability.',
    input: ListExecutorsInput,
    output: ListExecutorsOutput,
    errors: [],
  })
  listExecutors(@Input(ListExecutorsInput) _: ListExecutorsInput): Promise<ListExecutorsOutput> {
    return this.executors.list();
  }
}
