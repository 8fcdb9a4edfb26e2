import { Controller, Inject, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ProviderClient } from '../oidc/provider-client.js';
import { AccessControl } from '../platform/access/access-control.js';
import { sessionCookie, sessionSecretOf } from '../platform/access/session-cookie.js';
import { AppError } from '../platform/errors/app-error.js';
import { TextField } from '../platform/fields/fields.js';
import { Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { PageSessions } from './page-sessions.service.js';
import { SignInLink } from './sign-in-link.js';
import { takesTokens } from './sign-in-ways.js';

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
  @TextField(
    'The page keeps it and sends it as Taskyard-Page with every request: without it the cookie opens nothing.',
    { maxLength: 100, example: 'ty_page_…' },
  )
  page_secret!: string;
}

export class SignedOutOutput {
  @TextField('Where to go now: the log-out of the identity provider, or the page.', { example: '/ui' })
  location!: string;
}

const NO_TOKENS = 'people sign in by the identity provider here (PAGE_TOKEN_SIGN_IN)';

@ApiTags('page')
@Controller('ui')
export class SessionController {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly access: AccessControl,
    private readonly sessions: PageSessions,
    private readonly link: SignInLink,
    private readonly provider: ProviderClient,
  ) {}

  @Endpoint('POST session', {
    summary:
      'Sign in at the page with a token; from then on a cookie and a secret of the page name the session together.',
    scope: null,
    output: PageSessionOutput,
    errors: ['auth_unavailable', 'forbidden'],
  })
  async signIn(
    @Input() { token }: SignInInput,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PageSessionOutput> {
    const owner = this.link.redeem(token);
    if (owner === null && !takesTokens(this.environment)) throw new AppError('forbidden', { reason: NO_TOKENS });
    const holder = owner ?? (await this.access.findHolder(request.ip, token));
    const { cookie, page, lifeSecs } = await this.sessions.begin(holder);
    void reply.header('set-cookie', sessionCookie(request, cookie, lifeSecs));
    return { page_secret: page };
  }

  @Endpoint('POST sign-out', {
    summary: 'Sign out at the page: its session ends on every server.',
    scope: null,
    output: SignedOutOutput,
  })
  async signOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignedOutOutput> {
    const secret = sessionSecretOf(request);
    const idToken = secret === null ? null : await this.sessions.end(secret);
    void reply.header('set-cookie', sessionCookie(request, '', 0));
    const { PUBLIC_URL, BASE_PATH } = this.environment;
    const elsewhere = idToken && (await this.provider.signOutUrl(idToken, `${PUBLIC_URL}${BASE_PATH}/ui`));
    return { location: elsewhere ?? `${BASE_PATH}/ui` };
  }
}
