import { Controller, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessControl } from '../platform/access/access-control.js';
import { sessionCookie, sessionSecretOf } from '../platform/access/session-cookie.js';
import { BoolField, TextField } from '../platform/fields/fields.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { PageSessions } from './page-sessions.service.js';
import { SignInLink } from './sign-in-link.js';

export class SignInInput {
  @TextField(
    'A service token, an access token of the identity provider, TASKFLOW_SERVICE_TOKEN, the local token, or the ' +
      'code of a sign-in link.',
    {
      maxLength: 16_384,
      example: 'ty_st_…',
    },
  )
  token!: string;
}

export class PageSessionOutput {
  @BoolField('Whether a person is signed in now.', { example: true }) signed_in!: boolean;
  @TextField(
    'The page keeps it and sends it as Taskyard-Page with every request: without it the cookie opens nothing.',
    { optional: true, maxLength: 100, example: 'ty_page_…' },
  )
  page_secret?: string;
}

@ApiTags('page')
@Controller('ui/session')
export class SessionController {
  constructor(
    private readonly access: AccessControl,
    private readonly sessions: PageSessions,
    private readonly link: SignInLink,
  ) {}

  @Endpoint('POST', {
    summary:
      'Sign in at the page with a token; from then on a cookie and a secret of the page name the session together.',
    scope: null,
    output: PageSessionOutput,
    errors: ['auth_unavailable'],
  })
  async signIn(
    @Input() { token }: SignInInput,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PageSessionOutput> {
    const holder = this.link.redeem(token) ?? (await this.access.findHolder(request.ip, token));
    const { cookie, page, lifeSecs } = await this.sessions.begin(holder);
    void reply.header('set-cookie', sessionCookie(request, cookie, lifeSecs));
    return { signed_in: true, page_secret: page };
  }

  @Endpoint('DELETE', {
    summary: 'Sign out at the page: its session ends on every server.',
    scope: null,
    output: PageSessionOutput,
  })
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PageSessionOutput> {
    const secret = sessionSecretOf(request);
    if (secret !== null) await this.sessions.end(secret);
    void reply.header('set-cookie', sessionCookie(request, '', 0));
    return { signed_in: false };
  }
}
