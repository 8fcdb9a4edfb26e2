import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { ContinuationTarget, ListContinuationsInput, ListContinuationsOutput } from './continuation.dto.js';
import { ContinuationsService } from './continuations.service.js';

@Controller('api')
export class ContinuationsController {
  constructor(private readonly continuations: ContinuationsService) {}

  @Endpoint('GET attempts/:attempt_id/continuations', {
    tag: 'attempts',
    summary: 'List what an attempt goes on with by itself, and what became of it.',
    scope: 'read',
    output: ListContinuationsOutput,
    errors: ['attempt_not_found'],
  })
  listContinuations(
    @Input() input: ListContinuationsInput,
    @Caller() caller: Principal,
  ): Promise<ListContinuationsOutput> {
    return this.continuations.list(input, caller);
  }

  @Endpoint('DELETE attempts/:attempt_id/continuations/:continuation_id', {
    tag: 'attempts',
    summary: 'Stop a continuation that is due.',
    scope: 'execute',
    output: ListContinuationsOutput,
    errors: ['attempt_not_found', 'continuation_gone'],
  })
  stopContinuation(@Input() input: ContinuationTarget, @Caller() caller: Principal): Promise<ListContinuationsOutput> {
    return this.continuations.stop(input, caller);
  }
}
