import type { Json } from './mcp-client.js';

export interface RestAnswer {
  status: number;
  body: Json;
  headers: Headers;
}

/** Plain HTTP calls of the REST interface. */
export class RestClient {
  /** @param always headers of every request */
  constructor(
    private readonly url: string,
    private readonly always: Record<string, string> = {},
  ) {}

  get(path: string, headers: Record<string, string> = {}): Promise<RestAnswer> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<RestAnswer> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body: object): Promise<RestAnswer> {
    return this.send('PUT', path, body, {});
  }

  delete(path: string): Promise<RestAnswer> {
    return this.send('DELETE', path, undefined, {});
  }

  private async send(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<RestAnswer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...this.always, ...headers },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: text ? (JSON.parse(text) as Json) : {}, headers: response.headers };
  }
}
