import { Module } from '@nestjs/common';
import { gitEnvironment } from '../config/child-environment.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { RunnersRepository } from '../platform/cluster/runners.repository.js';
import { Git } from '../platform/git/git.js';
import { REMOTE_CREDENTIALS, type RemoteCredentials } from '../platform/git/remote-link.js';
import { LocalWorkspaceHost } from './local-workspace-host.js';
import { WorkspacePort } from './port/workspace-port.js';
import { routedWorkspaceHost } from './routed-workspace-host.js';
import { WORKSPACE_HOST, type WorkspaceHost } from './workspace-host.js';

/** Needs ENVIRONMENT from a global module, and where several processes share a database their registry. */
@Module({
  providers: [
    {
      provide: Git,
      inject: [ENVIRONMENT],
      useFactory: ({ REPOSITORY_TRUST }: Environment) => new Git(gitEnvironment(), { trusted: REPOSITORY_TRUST }),
    },
    {
      provide: LocalWorkspaceHost,
      inject: [ENVIRONMENT, Git, { token: RunnerLease, optional: true }, { token: REMOTE_CREDENTIALS, optional: true }],
      useFactory: (environment: Environment, git: Git, lease?: RunnerLease, credentials?: RemoteCredentials) =>
        new LocalWorkspaceHost(environment, git, {
          owner: environment.CLUSTER_SECRET && lease ? lease.id : '',
          credentials,
        }),
    },
    {
      provide: WorkspacePort,
      inject: [ENVIRONMENT, LocalWorkspaceHost, { token: RunnerLease, optional: true }],
      useFactory: (environment: Environment, local: LocalWorkspaceHost, lease?: RunnerLease) =>
        environment.CLUSTER_SECRET && lease ? new WorkspacePort(environment, lease, local) : null,
    },
    {
      provide: WORKSPACE_HOST,
      inject: [
        ENVIRONMENT,
        LocalWorkspaceHost,
        WorkspacePort,
        { token: RunnerLease, optional: true },
        { token: RunnersRepository, optional: true },
      ],
      useFactory: hostOf,
    },
  ],
  exports: [WORKSPACE_HOST],
})
export class WorkspacesModule {}

/** One process calls its own worktrees, and nothing else. */
function hostOf(
  { ROLE }: Environment,
  local: LocalWorkspaceHost,
  port: WorkspacePort | null,
  lease?: RunnerLease,
  runnerRows?: RunnersRepository,
): WorkspaceHost {
  if (port === null || !lease || !runnerRows) return local;
  const place = { runner_id: lease.id, holdsWorktrees: ROLE !== 'api', local };
  return routedWorkspaceHost(place, runnerRows, port.client);
}
