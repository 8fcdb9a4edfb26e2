import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../config/environment.js';
import { pathOf } from '../platform/access/access-control.js';
import { type Scope, SCOPES } from '../platform/access/scopes.js';
import { wordFor } from './rights.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** A protected endpoint, and the scopes that its clients request. */
export interface Resource {
  path: string;
  title: string;
  scopes: readonly Scope[];
}

/** Protected resource metadata (RFC 9728). Addresses come from PUBLIC_URL, never from a request. */
export class ProtectedResources {
  /** @param resources the first stands for the server, the last for all other addresses */
  constructor(
    private readonly environment: Pick<
      Environment,
      'PUBLIC_URL' | 'OIDC_ISSUER' | 'OIDC_AUDIENCE' | 'OIDC_CLI_CLIENT_ID'
    >,
    private readonly resources: readonly Resource[],
  ) {}

  /** Audiences of which a token has to name one. */
  get audiences(): string[] {
    const { OIDC_AUDIENCE, PUBLIC_URL } = this.environment;
    return OIDC_AUDIENCE.length ? OIDC_AUDIENCE : [PUBLIC_URL, ...this.resources.map(({ path }) => PUBLIC_URL + path)];
  }

  /** Serves the documents, and points to the right one in every refusal. */
  serve(server: FastifyInstance): void {
    const [main] = this.resources;
    for (const resource of this.resources) this.publish(server, WELL_KNOWN + resource.path, resource);
    if (main) this.publish(server, WELL_KNOWN, main);
    server.addHook('onSend', (request, reply, _, done) => {
      this.challenge(request, reply);
      done();
    });
  }

  private publish(server: FastifyInstance, url: string, { path, title, scopes }: Resource): void {
    const { PUBLIC_URL, OIDC_ISSUER, OIDC_CLI_CLIENT_ID } = this.environment;
    const document = JSON.stringify({
      resource: PUBLIC_URL + path,
      resource_name: title,
      authorization_servers: [OIDC_ISSUER],
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
      ...(OIDC_CLI_CLIENT_ID && { taskyard_cli_client_id: OIDC_CLI_CLIENT_ID }),
    });
    server.get(url, (_, reply) =>
      reply.header('access-control-allow-origin', '*').type('application/json').send(document),
    );
  }

  /** The challenge also names the scopes that the client has, because it logs in again with exactly those named. */
  private challenge(request: FastifyRequest, reply: FastifyReply): void {
    const given = reply.getHeader('www-authenticate');
    if (typeof given !== 'string') return;
    const { path, scopes } = this.resourceAt(pathOf(request));
    const [, scope] = / scope="(\w+)"/.exec(given) ?? [];
    const missing = SCOPES.find((one) => one === scope);
    const isLacking = missing !== undefined;
    // a client logs in again with words of the provider, a service token is made anew with scopes of ours
    const lacking = missing && (request.principal?.kind === 'token' ? missing : wordFor(missing));
    const fields = [
      ...(isLacking ? ['error="insufficient_scope"'] : []),
      ...(!isLacking && request.headers.authorization !== undefined ? ['error="invalid_token"'] : []),
      `resource_metadata="${this.environment.PUBLIC_URL}${WELL_KNOWN}${path}"`,
      `scope="${[...new Set([...scopes, ...(lacking ? [lacking] : [])])].join(' ')}"`,
    ];
    void reply.header('www-authenticate', `Bearer ${fields.join(', ')}`);
  }

  private resourceAt(path: string): Resource {
    return this.resources.find((one) => one.path === path) ?? this.resources.at(-1)!;
  }
}
