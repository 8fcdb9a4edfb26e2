import { Module } from '@nestjs/common';
import { gitEnvironment } from '../config/child-environment.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { RunnerLease } from '../cluster/runner-lease.js';
import { RunnersRepository } from '../cluster/runners.repository.js';
import { Database } from '../platform/database/database.js';
import { SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { Git } from '../git/git.js';
import { REMOTE_CREDENTIALS, type RemoteCredentials } from '../git/remote-link.js';
import { SecretBox } from '../secrets/secret-box.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { CloneOriginsRepository } from './clone-origins.repository.js';
import { LocalWorkspaceHost } from './local-workspace-host.js';
import { mirroredWorkspaceHost } from './mirrored-workspace-host.js';
import { WorkspacePort } from './port/port-server.js';
import { routedWorkspaceHost } from './routed-workspace-host.js';
import { WORKSPACE_HOST, type WorkspaceHost } from './workspace-host.js';
import { WorkspacePaths } from './workspace-paths.js';

/** LocalWorkspaceHost with repository paths mapped to this runner's clones. */
const MIRRORED = Symbol('MirroredWorkspaceHost');

/** Needs ENVIRONMENT from a global module and, in a cluster, the registry of processes. */
@Module({
  imports: [SecretsModule],
  providers: [
    {
      provide: Git,
      inject: [ENVIRONMENT],
      useFactory: ({ REPOSITORY_TRUST }: Environment) => new Git(gitEnvironment(), { trusted: REPOSITORY_TRUST }),
    },
    {
      provide: CloneOriginsRepository,
      inject: [SecretBox, { token: Database, optional: true }, { token: REMOTE_CREDENTIALS, optional: true }],
      useFactory: (box: SecretBox, database: Database, hosts?: RemoteCredentials) =>
        new CloneOriginsRepository(database, box, hosts ?? null),
    },
    {
      provide: LocalWorkspaceHost,
      inject: [
        ENVIRONMENT,
        Git,
        CloneOriginsRepository,
        { token: RunnerLease, optional: true },
        { token: SANDBOX, optional: true },
      ],
      useFactory: (
        environment: Environment,
        git: Git,
        credentials: RemoteCredentials,
        lease?: RunnerLease,
        sandbox?: Sandbox,
      ) =>
        new LocalWorkspaceHost(environment, git, {
          ...(sandbox ? { sandbox } : {}),
          owner: environment.CLUSTER_SECRET && lease ? lease.id : '',
          credentials,
        }),
    },
    { provide: MIRRORED, inject: [ENVIRONMENT, LocalWorkspaceHost, CloneOriginsRepository], useFactory: mirrored },
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
  exports: [WORKSPACE_HOST, CloneOriginsRepository],
})
export class WorkspacesModule {}

/** A single process has made every clone itself, unless its database comes from a backup. */
function mirrored(
  { DATA_DIR }: Environment,
  local: LocalWorkspaceHost,
  origins: CloneOriginsRepository,
): WorkspaceHost {
  const paths = new WorkspacePaths(DATA_DIR);
  return mirroredWorkspaceHost(local, { place: (id) => paths.clone(id), urlOf: (id) => origins.findUrl(id) });
}

/** A single process only calls its own worktrees. */
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
