import { Controller } from '@nestjs/common';
import { AttemptTarget } from '../attempts/attempt.dto.js';
import { AttemptChecksOutput, RunChecksInput } from '../checks/attempt-checks.dto.js';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { RequestChecksService } from './request-checks.service.js';
import { ViewChecksService } from './view-checks.service.js';

@Controller('api')
export class AttemptChecksController {
  constructor(
    private readonly checks: ViewChecksService,
    private readonly requests: RequestChecksService,
  ) {}

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

  @Endpoint('POST attempts/:attempt_id/checks', {
    tag: 'attempts',
    summary: 'Run the checks of an attempt; while they run, these are meant.',
    scope: 'execute',
    output: AttemptChecksOutput,
    errors: [
      'attempt_not_found',
      'no_checks',
      'no_session_yet',
      'session_busy',
      'delivery_in_progress',
      'workspace_lost',
      'secret_missing',
      'isolation_unavailable',
      'network_unavailable',
      'too_many_runs',
      'too_much_stored',
      'too_many_streams',
    ],
  })
  runAttemptChecks(@Input() input: RunChecksInput, @Caller() caller: Principal): Promise<AttemptChecksOutput> {
    return this.requests.run(input, caller);
  }
}
