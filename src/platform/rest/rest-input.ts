import type { FastifyRequest } from 'fastify';
import { type Class, fieldsOf } from '../fields/field-node.js';
import { refusal } from '../fields/input-errors.js';
import { InputParser } from '../fields/input-parser.js';
import { isRecord } from '../fields/normalise.js';
import { checkOutline } from '../fields/input-bounds.js';
import { isLines } from '../access/line-body.js';

type Values = Record<string, unknown>;

/** Path parameters, query or body, and the Idempotency-Key header as one input object, checked as MCP arguments are.
 *  @throws AppError invalid_argument and the codes of mode rules */
export function readRestInput<T extends object>(type: Class<T>, request: FastifyRequest): T {
  return InputParser.of(type).parse(collect(type, request));
}

function collect(type: Class, request: FastifyRequest): Values {
  const body = isLines(request.body) ? {} : (request.body ?? {});
  if (!isRecord(body)) throw refusal([{ field: 'body', message: 'body must be a JSON object' }]);
  checkOutline(type, body); // before it is copied
  const params = request.params as Values;
  const query = request.query as Values;
  const fromPath = Object.keys(params).filter((key) => key in body || key in query);
  if (fromPath.length) throw refusal(fromPath.map((field) => ({ field, message: `${field} is given by the path` })));
  return { ...withLists(type, query), ...body, ...keyOf(type, request, body), ...params };
}

/** A list in a query is one text, parted by commas. */
function withLists(type: Class, query: Values): Values {
  const fields = fieldsOf(type);
  const lists = Object.entries(query).filter(
    ([name, value]) => fields.get(name)?.kind === 'list' && typeof value === 'string',
  );
  return { ...query, ...Object.fromEntries(lists.map(([name, value]) => [name, (value as string).split(',')])) };
}

/** The header is `request_id` where there is such a field. */
function keyOf(type: Class, { headers }: FastifyRequest, body: Values): { request_id?: unknown } {
  const key = headers['idempotency-key'];
  if (key === undefined || !fieldsOf(type).has('request_id')) return {};
  if (body.request_id && body.request_id !== key)
    throw refusal(
      [{ field: 'request_id', message: 'request_id differs from the header Idempotency-Key' }],
      'Send the key once, in the header or as request_id.',
    );
  return { request_id: key };
}
