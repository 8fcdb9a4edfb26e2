import { Module } from '@nestjs/common';
import { gitEnvironment } from '../config/child-environment.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { Git } from '../platform/git/git.js';
import { LocalWorkspaceHost } from './local-workspace-host.js';
import { WORKSPACE_HOST } from './workspace-host.js';

/** Needs ENVIRONMENT from a global module. */
@Module({
  providers: [
    {
      provide: Git,
      inject: [ENVIRONMENT],
      useFactory: ({ REPOSITORY_TRUST }: Environment) => new Git(gitEnvironment(), { trusted: REPOSITORY_TRUST }),
    },
    { provide: WORKSPACE_HOST, useClass: LocalWorkspaceHost },
  ],
  exports: [WORKSPACE_HOST],
})
export class WorkspacesModule {}
