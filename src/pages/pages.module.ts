import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { ProviderClient } from '../oidc/provider-client.js';
import { AuditModule } from '../audit/audit.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { WorkersModule } from '../workers/workers.module.js';
import { BackchannelLogout } from './backchannel-logout.js';
import { PageSessionsRepository } from './page-sessions.repository.js';
import { PageSessions } from './page-sessions.service.js';
import { PersonSessionsController } from './person-sessions.controller.js';
import { ProviderSignIn } from './provider-sign-in.js';
import { SessionController } from './session.controller.js';
import { SessionRenewal } from './session-renewal.js';
import { SignInLink } from './sign-in-link.js';

@Module({
  imports: [AuditModule, WorkersModule, SecretsModule],
  controllers: [SessionController, PersonSessionsController],
  providers: [
    {
      provide: ProviderClient,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => new ProviderClient(environment),
    },
    BackchannelLogout,
    PageSessionsRepository,
    PageSessions,
    ProviderSignIn,
    SessionRenewal,
    SignInLink,
  ],
})
export class PagesModule {}
