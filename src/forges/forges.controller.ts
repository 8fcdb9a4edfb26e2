import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '../platform/rest/endpoint.decorator.js';
import { ListForgesOutput } from './forge.dto.js';
import { ForgesService } from './forges.service.js';

@ApiTags('deliveries')
@Controller('api')
export class ForgesController {
  constructor(private readonly forges: ForgesService) {}

  @Endpoint('GET forges', {
    summary: 'List the forges on which pull requests can be opened.',
    scope: 'read',
    output: ListForgesOutput,
  })
  listForges(): ListForgesOutput {
    return { forges: this.forges.list() };
  }
}
