import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode } from '../errors/error-catalogue.js';
import { ErrorEnvelope } from '../errors/error-envelope.js';

/** Errors that any route may answer. */
const everywhere: readonly ErrorCode[] = [
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

/** A response with more codes is specific to one route and is written there. */
const MAX_NAMED_CODES = 3;
const TOO_MANY_REQUESTS = 429;

type DocumentedResponse = ReturnType<typeof responseOf>;
const shared = new Map<string, DocumentedResponse>();

/** Refusals that several routes announce, by status and by what they add to what any route may answer. */
export const sharedResponses = (): Record<string, DocumentedResponse> => Object.fromEntries(shared);

/** One documented response a status: its codes, with an example of each, all from the catalogue. */
export function errorResponses(codes: ErrorCode[]): MethodDecorator[] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...new Set([...codes, ...everywhere])].sort())
    byStatus.set(errorCatalogue[code].status, [...(byStatus.get(errorCatalogue[code].status) ?? []), code]);
  const responses = [...byStatus].sort(([a], [b]) => a - b).map(([status, group]) => errorResponse(status, group));
  return [ApiExtraModels(ErrorEnvelope), ...responses];
}

function errorResponse(status: number, codes: ErrorCode[]): MethodDecorator {
  const own = codes.filter((code) => !everywhere.includes(code));
  if (own.length > MAX_NAMED_CODES) return ApiResponse({ status, ...responseOf(status, codes) });
  const name = [status, ...own].join('.');
  shared.set(name, responseOf(status, codes));
  return ApiResponse({ status, ...{ $ref: `#/components/responses/${name}` } });
}

/** The envelope, with its code narrowed to what the route announces. */
function responseOf(status: number, codes: ErrorCode[]) {
  const narrowed = { type: 'object', properties: { code: { enum: codes } } } as const;
  const example = (code: ErrorCode) => [code, { $ref: `#/components/examples/${code}` }] as const;
  return {
    description: codes.join(', '),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(status === TOO_MANY_REQUESTS ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
    },
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: getSchemaPath(ErrorEnvelope) }, narrowed] },
        examples: Object.fromEntries(codes.map(example)),
      },
    },
  };
}
