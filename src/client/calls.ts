import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { components, paths } from '../pages/client/generated/api.js';
import { keyedOperations } from './keyed-operations.js';
import { sending } from './sending.js';
import { refusalOf } from './taskyard-error.js';

export type Schemas = components['schemas'];

export interface ClientOptions {
  /** Of the server, with its BASE_PATH: `http://127.0.0.1:8000`. */
  baseUrl: string;
  /** A token, or what yields one for each request; none where the server asks for none. */
  token?: string | (() => string | Promise<string>);
  fetch?: typeof globalThis.fetch;
}

const JSON_TYPE = 'application/json';
type Json = typeof JSON_TYPE;

/** One method of HTTP for every operation that has it. @returns what the server answers. @throws TaskyardError */
type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<paths, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init]
) => Promise<NonNullable<FetchResponse<paths[Path][Method & keyof paths[Path]] & {}, Init, Json>['data']>>;

export interface Calls {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PUT: Call<'put'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
}

/** Every operation of the API, typed by its document. */
export function callsOf({ baseUrl, token = '', fetch = globalThis.fetch }: ClientOptions): Calls {
  const client = createFetchClient<paths, Json>({ baseUrl: baseUrl.replace(/\/+$/, ''), fetch: sending(fetch) });
  client.use({
    async onRequest({ request, schemaPath }) {
      const bearer = typeof token === 'function' ? await token() : token;
      if (bearer) request.headers.set('authorization', `Bearer ${bearer}`);
      if (!request.headers.has('accept')) request.headers.set('accept', JSON_TYPE);
      if (keyedOperations.has(`${request.method} ${schemaPath}`) && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID());
    },
  });
  type Method = keyof Calls;
  const call = (method: Method) => async (path: never, init: never) => {
    const { data, error, response } = await (client[method] as Untyped)(path, init);
    if (!response.ok) throw refusalOf(response, error);
    return data;
  };
  const methods: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
  return Object.fromEntries(methods.map((method) => [method, call(method)])) as unknown as Calls;
}

type Untyped = (path: never, init: never) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
