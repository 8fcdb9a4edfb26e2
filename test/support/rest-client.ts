import { Agent } from 'node:http';
import supertest from 'supertest';
import type { ApiContract } from './api-contract.js';
import { asOwner } from './local-tokens.js';
import type { Envelope, Json } from './mcp-client.js';

export interface RestAnswer {
  status: number;
  body: Json;
  headers: Headers;
}
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type HeaderFields = Record<string, string>;
/** A connection is used again, as every real client does. */
const connections = new Agent({ keepAlive: true });

/** The REST interface of a server. With a contract, every answer is held against the document that the server
 *  publishes. */
export class RestClient {
  /** @param always headers of every request */
  constructor(
    private readonly url: string,
    private readonly always: HeaderFields = {},
    private readonly contract?: ApiContract,
  ) {}

  /** The same on behalf of a user. */
  as(user_id: string): RestClient {
    return new RestClient(this.url, { ...this.always, 'x-user-id': user_id }, this.contract);
  }

  get(path: string, headers?: HeaderFields): Promise<RestAnswer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: object = {}, headers?: HeaderFields): Promise<RestAnswer> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body: object): Promise<RestAnswer> {
    return this.send('PUT', path, body);
  }

  patch(path: string, body: object): Promise<RestAnswer> {
    return this.send('PATCH', path, body);
  }

  delete(path: string): Promise<RestAnswer> {
    return this.send('DELETE', path);
  }

  /** The body of a call that succeeds. */
  async does(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw unexpected(method, path, answer);
    return answer.body;
  }

  /** The body of a call that is answered with this status. */
  async answers(status: number, method: string, path: string, body?: unknown, headers?: HeaderFields): Promise<Json> {
    const answer = await this.send(method, path, body, headers);
    if (answer.status !== status) throw unexpected(method, path, answer);
    return answer.body;
  }

  /** The envelope and the status of a call that is refused. */
  async refused(method: string, path: string, body?: unknown, headers?: HeaderFields): Promise<Refusal> {
    const answer = await this.send(method, path, body, headers);
    if (answer.status < 400) throw unexpected(method, path, answer);
    return { ...withoutRequestId(answer.body as Envelope), status: answer.status };
  }

  /** The same for a call that is refused with this code. */
  async refuses(code: string, method: string, path: string, body?: unknown, headers?: HeaderFields): Promise<Refusal> {
    const refusal = await this.refused(method, path, body, headers);
    if (refusal.code !== code) throw unexpected(method, path, { status: refusal.status, body: refusal });
    return refusal;
  }

  /** @param body sent as JSON; a string goes as it is */
  async send(method: string, path: string, body?: unknown, headers: HeaderFields = {}): Promise<RestAnswer> {
    const request = supertest(this.url)[method.toLowerCase() as Lowercase<Method>](path);
    void request.agent(connections).set(asOwner(this.url, { ...this.always, ...headers }));
    if (body !== undefined) {
      if (!('content-type' in headers)) void request.type('application/json');
      void request.send(typeof body === 'string' ? body : JSON.stringify(body));
    }
    const { status, body: answered, headers: fields } = await request;
    const answer = { status, body: answered as Json, headers: new Headers(fields) };
    this.contract?.hold(method, path.split('?', 1)[0]!, answer);
    return answer;
  }
}

export interface Refusal extends Envelope {
  status: number;
}

function unexpected(method: string, path: string, { status, body }: Pick<RestAnswer, 'status' | 'body'>): Error {
  return new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`);
}

/** Each request has an id of its own, which a refusal repeats; tests are about the rest of it. */
function withoutRequestId<E extends { details?: Json }>(refusal: E): E {
  if (refusal.details?.http_request_id === undefined) return refusal; // as in Colibri's shape
  const details = { ...refusal.details };
  delete details.http_request_id;
  return { ...refusal, details };
}
