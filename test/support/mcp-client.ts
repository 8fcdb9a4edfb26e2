import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/sdk/validation/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { asOwner } from './local-tokens.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are read freely in tests
export type Json = Record<string, any>;
export interface Envelope {
  code: string;
  message: string;
  retryable: boolean;
  hint: string;
  details: Json;
}

/** Of a machine that is busy with other tests. */
export const PATIENCE = { timeout: 180_000 };

type Home = typeof globalThis & { answerValidators?: Map<string, JsonSchemaValidator<unknown>> };
// of the process where it has modules of its own: the schemas are the same for every test file and client
const home = ((globalThis as { builtGlobals?: unknown }).builtGlobals ?? globalThis) as Home;
const compiled = (home.answerValidators ??= new Map());

/** Compiles an output schema with the first answer that it checks, once: a test calls few of the tools. */
class LazyValidators implements jsonSchemaValidator {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    let validate: JsonSchemaValidator<T> | undefined;
    return (answer) => (validate ??= validatorOf<T>(schema))(answer);
  }
}

function validatorOf<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
  const key = JSON.stringify(schema);
  const validate = compiled.get(key) ?? new AjvJsonSchemaValidator().getValidator<unknown>(schema);
  compiled.set(key, validate);
  return validate as JsonSchemaValidator<T>;
}

/** The SDK's own client, over HTTP where nothing else is said. */
export class McpClient {
  private constructor(readonly sdk: Client) {}

  static connect(url: string, headers: Record<string, string> = {}): Promise<McpClient> {
    return McpClient.over(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: asOwner(url, headers) } }),
    );
  }

  static async over(transport: Transport): Promise<McpClient> {
    const client = new Client(
      { name: 'taskyard-tests', version: '1.0.0' },
      { jsonSchemaValidator: new LazyValidators() },
    );
    await client.connect(transport);
    await client.listTools(); // from now on the client checks every answer against its output schema
    return new McpClient(client);
  }

  /** The result of a call that succeeds. @throws with the envelope where it does not */
  async call(name: string, args: object = {}): Promise<Json> {
    const result = await this.sdk.callTool({ name, arguments: args as Record<string, unknown> }, undefined, PATIENCE);
    if (result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as Json;
  }

  /** The envelope of a call that is refused. @throws where it succeeds */
  async refused(name: string, args: object = {}): Promise<Envelope> {
    const result = await this.sdk.callTool({ name, arguments: args as Record<string, unknown> }, undefined, PATIENCE);
    if (!result.isError) throw new Error(`${name} succeeded: ${JSON.stringify(result.structuredContent)}`);
    return result.structuredContent as Envelope;
  }

  close(): Promise<void> {
    return this.sdk.close();
  }
}
