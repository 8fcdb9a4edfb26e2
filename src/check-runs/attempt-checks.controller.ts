import { Controller } from '@nestjs/common';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { AttemptChecksOutput } from '../checks/attempt-checks.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ViewChecksService } from './view-checks.service.js';

@Controller('api')
export class AttemptChecksController {
  constructor(private readonly checks: ViewChecksService) {}

  @Endpoint('GET attempts/:attempt_id/checks', {
    tag: 'attempts',
    summary: 'Show how the checks of an attempt stand.',
    scope: 'read',
    output: AttemptChecksOutput,
    errors: ['attempt_not_found'],
  })
  getAttemptChecks(@Input() input: AttemptTarget, @Caller() caller: Principal): Promise<AttemptChecksOutput> {
    return this.checks.view(input, caller);
  }
}
