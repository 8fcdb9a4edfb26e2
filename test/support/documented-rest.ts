import type { OpenAPIObject } from '@nestjs/swagger';
import type { ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { createAjv } from '../../src/platform/fields/input-parser.js';
import { type Operation, operationsOf } from './api-rules.js';
import { toJsonSchema } from './api-schema-rules.js';
import type { Envelope, Json } from './mcp-client.js';

interface Route extends Operation {
  pattern: RegExp;
}
export interface Call {
  headers?: Record<string, string>;
  body?: unknown;
}
export interface Answer {
  status: number;
  body: Json;
  headers: Headers;
}

/** Calls the REST interface and holds every answer against the document that the server publishes:
 *  its status is documented, its body fits the schema without undocumented fields, a refusal is one the route announces. */
export class DocumentedRest {
  private readonly ajv: Ajv2020 = createAjv();
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly routes: Route[];

  private constructor(
    private readonly url: string,
    private readonly headers: Record<string, string>,
    document: OpenAPIObject,
  ) {
    this.routes = operationsOf(document).map((operation) => ({
      ...operation,
      pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
    }));
    const schemas = Object.entries(document.components!.schemas!).map(([name, schema]) => [
      name,
      closed(toJsonSchema(schema as Json)),
    ]);
    this.ajv.addSchema({ $id: 'api', components: { schemas: Object.fromEntries(schemas) as Json } });
  }

  static async of(url: string, headers: Record<string, string> = {}): Promise<DocumentedRest> {
    const answer = await fetch(`${url}/api/openapi.json`);
    return new DocumentedRest(url, headers, (await answer.json()) as OpenAPIObject);
  }

  /** The body of a call that does what was asked. */
  async does(status: number, method: string, path: string, call: Call = {}): Promise<Json> {
    const answer = await this.send(method, path, call);
    if (answer.status !== status)
      throw new Error(`${method} ${path} answered ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** The envelope of a call that is refused with this code. */
  async refuses(code: string, method: string, path: string, call: Call = {}): Promise<Envelope & { status: number }> {
    const { status, body } = await this.send(method, path, call);
    if (body.code !== code)
      throw new Error(`${method} ${path} answered ${status}, not ${code}: ${JSON.stringify(body)}`);
    return { ...(body as Envelope), status };
  }

  async send(method: string, path: string, { headers = {}, body }: Call = {}): Promise<Answer> {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...type, ...this.headers, ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = { status: response.status, body: (await response.json()) as Json, headers: response.headers };
    this.hold(method, path.split('?', 1)[0], answer);
    return answer;
  }

  private hold(method: string, path: string, { status, body, headers }: Answer): void {
    const wrong = (what: string) =>
      new Error(`${method} ${path} ${status}: ${what}: ${JSON.stringify(body).slice(0, 1_000)}`);
    if (!headers.get('content-type')?.startsWith('application/json')) throw wrong('is no JSON');
    const route = this.routes.find((one) => one.method === method.toLowerCase() && one.pattern.test(path));
    if (!route || body.code === 'route_not_found') return expectEnvelope(body, wrong); // an address that no router could read leads nowhere
    const documented = (route.spec.responses as Json)[status]?.content?.['application/json'] as Json | undefined;
    if (!documented) throw wrong('is not documented');
    const validate = this.validator(documented.schema.$ref as string);
    if (!validate(body)) throw wrong(this.ajv.errorsText(validate.errors));
    if (status < 400) return;
    expectEnvelope(body, wrong);
    if (!(body.code in documented.examples)) throw wrong('the code is not documented');
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

function expectEnvelope(body: Json, wrong: (what: string) => Error): void {
  const fields = Object.keys(body).sort().join();
  if (fields !== 'code,details,hint,message,retryable') throw wrong('is no envelope');
  if (/\{op:|undefined|\[object/.test(`${body.message} ${body.hint}`)) throw wrong('the hint is not filled in');
}
