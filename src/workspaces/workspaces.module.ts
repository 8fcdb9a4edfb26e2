import { Module } from '@nestjs/common';
import { gitEnvironment } from '../config/child-environment.js';
import { Git } from '../platform/git/git.js';
import { LocalWorkspaceHost } from './local-workspace-host.js';
import { WORKSPACE_HOST } from './workspace-host.js';

/** Needs ENVIRONMENT from a global module. */
@Module({
  providers: [
    { provide: Git, useFactory: () => new Git(gitEnvironment()) },
    { provide: WORKSPACE_HOST, useClass: LocalWorkspaceHost },
  ],
  exports: [WORKSPACE_HOST],
})
export class WorkspacesModule {}
