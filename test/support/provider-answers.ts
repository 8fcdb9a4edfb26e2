import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeJwt, type JWTPayload } from 'jose';
import type { Json } from './mcp-client.js';
import type { OidcProvider, SignedAs } from './oidc-provider.js';

/** How a provider answers, where not as it should. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Changes what the provider sends a person back to the page with. */
export const sentBackWith =
  (provider: OidcProvider, change: (query: URLSearchParams) => void): Answer =>
  (request, response) => {
    beforeEnd(response, (body) => {
      const location = response.getHeader('location');
      if (typeof location === 'string' && location.includes('/ui/callback?')) {
        const back = new URL(location);
        change(back.searchParams);
        response.setHeader('location', back.href);
      }
      return body;
    });
    provider.pass(request, response);
  };

/** Its ID tokens say these things instead, or too. @param as how they are signed, where not as they should be */
export const idTokensWith =
  (provider: OidcProvider, claims: JWTPayload, as: SignedAs = {}): Answer =>
  (request, response) => {
    if (isFor(request, 'token'))
      beforeEnd(response, async (body) => {
        const { id_token, ...others } = JSON.parse(body) as Json;
        const changed = { scope: undefined, groups: undefined, ...decodeJwt(id_token as string), ...claims };
        return JSON.stringify({ ...others, id_token: await provider.sign(changed, { typ: 'JWT', ...as }) });
      });
    provider.pass(request, response);
  };

/** It answers as it should, but at one of its addresses. */
export const butAt =
  (provider: OidcProvider, place: string, answer: Answer): Answer =>
  (request, response) =>
    isFor(request, place) ? answer(request, response) : provider.pass(request, response);

/** Whoever comes signs in there as this one. */
export const asPerson =
  (provider: OidcProvider, who: string): Answer =>
  (request, response) => {
    if (isFor(request, 'auth')) request.url += `&login_hint=${who}`;
    provider.pass(request, response);
  };

export const dead: Answer = ({ socket }) => socket.destroy();
export const silent: Answer = () => undefined;
export const errorOfProxy: Answer = (_, response) => response.writeHead(502).end('<html>Bad gateway</html>');

const isFor = ({ url = '' }: IncomingMessage, place: string): boolean => new RegExp(`^/${place}(\\?|$)`).test(url);

function beforeEnd(response: ServerResponse, change: (body: string) => Promise<string> | string): void {
  const end = response.end.bind(response);
  response.end = (body?: unknown): ServerResponse => {
    void Promise.resolve(change(body === undefined ? '' : String(body as string | Buffer))).then((changed) => {
      response.removeHeader('content-length');
      end(changed);
    });
    return response;
  };
}
