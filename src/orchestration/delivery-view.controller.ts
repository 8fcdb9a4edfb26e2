import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { worktreeErrors } from '../attempts/attempts.controller.js';
import { AttemptDeliveryInput, AttemptDeliveryOutput } from '../deliveries/delivery.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, type EndpointSpec, Input } from '../platform/rest/endpoint.decorator.js';
import { ViewDeliveryService } from './view-delivery.service.js';

const view = {
  method: 'GET',
  scope: 'read',
  input: AttemptDeliveryInput,
  output: AttemptDeliveryOutput,
  errors: ['attempt_not_found', 'repo_not_found', ...worktreeErrors],
} satisfies Omit<EndpointSpec, 'path' | 'summary'>;

/** Where the work of attempts stands. */
@ApiTags('deliveries')
@Controller('api')
export class DeliveryViewController {
  constructor(private readonly views: ViewDeliveryService) {}

  @Endpoint({
    ...view,
    path: 'attempts/:attempt_id/delivery',
    summary: 'Get where the work of an attempt stands to its target branches.',
  })
  getAttemptDelivery(
    @Input(AttemptDeliveryInput) input: AttemptDeliveryInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.views.get(input, caller);
  }

  @Endpoint({
    ...view,
    path: 'attempts/:attempt_id/branch-status',
    summary: 'Get where the work of an attempt stands; the same as GET …/delivery.',
  })
  getAttemptBranchStatus(
    @Input(AttemptDeliveryInput) input: AttemptDeliveryInput,
    @Caller() caller: Principal,
  ): Promise<AttemptDeliveryOutput> {
    return this.views.get(input, caller);
  }
}
