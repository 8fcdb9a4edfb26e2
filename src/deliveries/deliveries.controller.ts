import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ListDeliveriesInput, ListDeliveriesOutput } from './delivery.dto.js';
import { DeliveriesService } from './deliveries.service.js';

@ApiTags('deliveries')
@Controller('api')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Endpoint({
    method: 'GET',
    path: 'projects/:project_id/deliveries',
    summary: 'List the deliveries of a project, newest first.',
    scope: 'read',
    input: ListDeliveriesInput,
    output: ListDeliveriesOutput,
    errors: ['project_not_found', 'not_a_member'],
  })
  listDeliveries(
    @Input(ListDeliveriesInput) input: ListDeliveriesInput,
    @Caller() caller: Principal,
  ): Promise<ListDeliveriesOutput> {
    return this.deliveries.list(input, caller);
  }
}
