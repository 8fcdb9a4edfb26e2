import { Module } from '@nestjs/common';
import { gitEnvironment } from '../config/child-environment.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { RunnerLease } from '../platform/cluster/runner-lease.js';
import { RunnersRepository } from '../platform/cluster/runners.repository.js';
import { Database } from '../platform/database/database.js';
import { Git } from '../platform/git/git.js';
import { REMOTE_CREDENTIALS, type RemoteCredentials } from '../platform/git/remote-link.js';
import { CloneUrlsRepository } from './clone-urls.repository.js';
import { LocalWorkspaceHost } from './local-workspace-host.js';
import { mirroredWorkspaceHost } from './mirrored-workspace-host.js';
import { WorkspacePort } from './port/workspace-port.js';
import { routedWorkspaceHost } from './routed-workspace-host.js';
import { WORKSPACE_HOST, type WorkspaceHost } from './workspace-host.js';
import { WorkspacePaths } from './workspace-paths.js';

/** LocalWorkspaceHost, and each repository where this runner has it. */
const MIRRORED = Symbol('MirroredWorkspaceHost');

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
      provide: MIRRORED,
      inject: [ENVIRONMENT, LocalWorkspaceHost, { token: Database, optional: true }],
      useFactory: mirrored,
    },
    {
      provide: WorkspacePort,
      inject: [ENVIRONMENT, MIRRORED, { token: RunnerLease, optional: true }],
      useFactory: (environment: Environment, local: WorkspaceHost, lease?: RunnerLease) =>
        environment.CLUSTER_SECRET && lease ? new WorkspacePort(environment, lease, local) : null,
    },
    {
      provide: WORKSPACE_HOST,
      inject: [
        ENVIRONMENT,
        MIRRORED,
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

/** One process alone has made every clone by itself. */
function mirrored(
  { CLUSTER_SECRET, DATA_DIR }: Environment,
  local: LocalWorkspaceHost,
  database?: Database,
): WorkspaceHost {
  if (CLUSTER_SECRET === '' || !database) return local;
  const [paths, urls] = [new WorkspacePaths(DATA_DIR), new CloneUrlsRepository(database)];
  return mirroredWorkspaceHost(local, { place: (id) => paths.clone(id), urlOf: (id) => urls.find(id) });
}

/** One process calls its own worktrees, and nothing else. */
function hostOf(
  { ROLE }: Environment,
  local: WorkspaceHost,
  port: WorkspacePort | null,
  lease?: RunnerLease,
  runnerRows?: RunnersRepository,
): WorkspaceHost {
  if (port === null || !lease || !runnerRows) return local;
  const place = { runner_id: lease.id, holdsWorktrees: ROLE !== 'api', local };
  return routedWorkspaceHost(place, runnerRows, port.client);
}
