import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { IdempotencyKeyOutput, IdempotencyKeyTarget } from './idempotency.dto.js';
import { IdempotencyRepository } from './idempotency.repository.js';

@ApiTags('idempotency')
@Controller('api/idempotency-keys')
export class IdempotencyController {
  constructor(private readonly records: IdempotencyRepository) {}

  @Endpoint('GET :key', {
    summary: 'Look up your requests by idempotency key.',
    scope: 'read',
    output: IdempotencyKeyOutput,
    errors: ['idempotency_key_not_found'],
  })
  async getIdempotencyKey(
    @Input() { key }: IdempotencyKeyTarget,
    @Caller() caller: Principal,
  ): Promise<IdempotencyKeyOutput> {
    const records = await this.records.listByKey(caller.id, key);
    if (records.length === 0) throw new AppError('idempotency_key_not_found', { key });
    return {
      key,
      requests: records.map(({ operation, state, result, created_at }) => ({
        operation,
        state,
        result: result as Record<string, unknown> | null,
        created_at: created_at.toISOString(),
      })),
    };
  }
}
