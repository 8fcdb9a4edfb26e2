import type { OpenAPIObject } from '@nestjs/swagger';
import type { ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { createAjv } from '../../src/platform/fields/input-parser.js';
import { type Operation, operationsOf } from './api-rules.js';
import type { Json } from './mcp-client.js';
import type { RestAnswer } from './rest-client.js';
import { fetchAsOwner } from './local-tokens.js';

interface Route extends Operation {
  pattern: RegExp;
}

/** The document that a server publishes, as a promise that each of its answers has to keep:
 *  its status is documented, its body fits the schema without undocumented fields, a refusal is one that the route
 *  announces. */
export class ApiContract {
  private readonly ajv: Ajv2020 = createAjv();
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly routes: Route[];

  constructor(document: OpenAPIObject) {
    this.routes = operationsOf(document).map((operation) => ({
      ...operation,
      pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
    const schemas = Object.entries(document.components!.schemas!).map(([name, schema]) => [
      name,
      closed(schema as Json),
    ]);
    this.ajv.addSchema({ $id: 'api', components: { schemas: Object.fromEntries(schemas) as Json } });
  }

  static async of(url: string, headers: Record<string, string> = {}): Promise<ApiContract> {
    const answer = await fetchAsOwner(`${url}/api/openapi.json`, { headers });
    return new ApiContract((await answer.json()) as OpenAPIObject);
  }

  /** @throws where the answer is not as documented */
  hold(method: string, path: string, { status, body, headers }: RestAnswer): void {
    const wrong = (what: string) =>
      new Error(`${method} ${path} ${status}: ${what}: ${JSON.stringify(body).slice(0, 1_000)}`);
    if (!headers.get('content-type')?.startsWith('application/json')) throw wrong('is no JSON');
    const route = this.routes.find((one) => one.method === method.toLowerCase() && one.pattern.test(path));
    // An address that no router could read leads nowhere.
    if (!route || body.code === 'route_not_found') return expectEnvelope(body, wrong);
    const documented = (route.spec.responses as Json)[status]?.content?.['application/json'] as Json | undefined;
    if (!documented) throw wrong('is not documented');
    const [schema, narrowed] = [documented.schema.allOf ?? documented.schema].flat() as Json[];
    const validate = this.validator(schema!.$ref as string);
    if (!validate(body)) throw wrong(this.ajv.errorsText(validate.errors));
    if (status >= 400) expectCode(body, narrowed!, wrong);
  }

  private validator(ref: string): ValidateFunction {
    const known = this.compiled.get(ref) ?? this.ajv.compile({ $ref: `api${ref}` });
    this.compiled.set(ref, known);
    return known;
  }
}

/** Undocumented fields are wrong, which OpenAPI leaves open. */
function closed(schema: Json): Json {
  return { ...schema, ...(schema.properties ? { additionalProperties: false } : {}) };
}

function expectCode(body: Json, { properties }: Json, wrong: (what: string) => Error): void {
  expectEnvelope(body, wrong);
  if (!properties.code.enum.includes(body.code)) throw wrong('the code is not documented');
}

function expectEnvelope(body: Json, wrong: (what: string) => Error): void {
  const fields = Object.keys(body).sort().join();
  if (fields !== 'code,details,hint,message,retryable') throw wrong('is no envelope');
  if (/\{op:|undefined|\[object/.test(`${body.message} ${body.hint}`)) throw wrong('the hint is not filled in');
}
