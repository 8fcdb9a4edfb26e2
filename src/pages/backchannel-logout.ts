import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { LogoutTokens } from '../oidc/logout-token.js';
import { PageSessions } from './page-sessions.service.js';

const FORM = 'application/x-www-form-urlencoded';
const MAX_BYTES = 64 * 1024;

/** Where the identity provider tells who signed out there: their sessions at the page end on every server. */
@Injectable()
export class BackchannelLogout {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly sessions: PageSessions,
  ) {}

  /** In its own fastify scope, because it takes a form. */
  serve(server: FastifyInstance): void {
    if (this.environment.OIDC_CLIENT_ID === '') return;
    const tokens = new LogoutTokens(this.environment);
    void server.register((scope, _, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, body, parsed) =>
        parsed(null, new URLSearchParams(body as string).get('logout_token')),
      );
      scope.post('/ui/backchannel-logout', { bodyLimit: MAX_BYTES }, ({ body }, reply) =>
        this.receive(tokens, body, reply),
      );
      done();
    });
  }

  private async receive(tokens: LogoutTokens, body: unknown, reply: FastifyReply): Promise<FastifyReply> {
    void reply.header('cache-control', 'no-store');
    const told = typeof body === 'string' ? await tokens.read(body) : null;
    const isNew = told !== null && (await this.sessions.endOnce(told, told.jti, told.expires_at));
    return isNew ? reply.send() : reply.status(400).send({ error: 'invalid_request' });
  }
}
