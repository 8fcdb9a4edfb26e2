import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode } from '../errors/error-catalogue.js';
import { errorExample } from '../errors/error-examples.js';
import { ErrorEnvelope, toEnvelope } from '../errors/error-envelope.js';
import { restNames } from '../errors/operations.js';

/** What any route may answer. */
const everywhere: ErrorCode[] = [
  'invalid_argument',
  'unauthenticated',
  'host_forbidden',
  'origin_forbidden',
  'insufficient_scope',
  'act_as_required',
  'not_a_member',
  'worker_not_found',
  'rate_limited',
  'internal_error',
  'auth_unavailable',
  'database_unavailable',
  'write_conflict',
  'shutting_down',
];

/** One documented response a status, with an example a code, all from the catalogue. */
export function errorResponses(codes: ErrorCode[]): MethodDecorator[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...codes, ...everywhere]))
    byStatus.set(errorCatalogue[code].status, [...(byStatus.get(errorCatalogue[code].status) ?? []), code]);
  const responses = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, group]) =>
      ApiResponse({
        status,
        description: group.join(', '),
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(ErrorEnvelope) },
            examples: Object.fromEntries(
              group.map((code) => [code, { value: toEnvelope(errorExample(code), restNames) }]),
            ),
          },
        },
      }),
    );
  return [ApiExtraModels(ErrorEnvelope), ...responses];
}
