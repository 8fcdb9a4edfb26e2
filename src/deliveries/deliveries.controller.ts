import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import {
  AttemptDeliveryInput,
  AttemptDeliveryOutput,
  ListDeliveriesInput,
  ListDeliveriesOutput,
} from './delivery.dto.js';
import { DeliveriesService } from './deliveries.service.js';

@ApiTags('deliveries')
@Controller('api')
export class DeliveriesController {
  constructor(private readonly deliveries: DeliveriesService) {}

  @Endpoint({
    method: 'GET',
    path: 'attempts/:attempt_id/delivery',
    summary: 'Get where the work of an attempt stands to its target branches.',
    scope: 'read',
    input: AttemptDeliveryInput,
    output: AttemptDeliveryOutput,
    errors: ['attempt_not_found', 'repo_not_found', ...worktreeErrors],
  })
  getAttemptDelivery(
    @Input(AttemptDeliveryInput) input: AttemptDeliveryInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.deliveries.get(input, caller);
  }

  @Endpoint({
    method: 'GET',
    path: 'attempts/:attempt_id/branch-status',
    summary: 'Get where the work of an attempt stands; the same as GET …/delivery.',
    scope: 'read',
    input: AttemptDeliveryInput,
    output: AttemptDeliveryOutput,
    errors: ['attempt_not_found', 'repo_not_found', ...worktreeErrors],
  })
  getAttemptBranchStatus(
    @Input(AttemptDeliveryInput) input: AttemptDeliveryInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.deliveries.get(input, caller);
  }

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
