import { type DynamicModule, Module } from '@nestjs/common';
import { RunnerLease } from '../cluster/runner-lease.js';
import type { Environment } from '../config/environment.js';
import { SecretBox } from '../secrets/secret-box.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { WorkspacesModule } from '../workspaces/workspaces.module.js';
import { BackupController } from './backup.controller.js';
import { BackupService } from './take-backup.js';

@Module({})
export class BackupModule {
  static forServer({ ROLE, WORKSPACE_SNAPSHOT_MAX_BYTES }: Environment, databaseUrl: string): DynamicModule {
    const serviceOf = (box: SecretBox, host: WorkspaceHost, lease: RunnerLease): BackupService => {
      const here = { home: lease.id, host, maxBytes: WORKSPACE_SNAPSHOT_MAX_BYTES };
      return new BackupService({ databaseUrl, box, worktrees: ROLE === 'api' ? null : here });
    };
    return {
      module: BackupModule,
      imports: [SecretsModule, WorkspacesModule],
      controllers: [BackupController],
      providers: [{ provide: BackupService, inject: [SecretBox, WORKSPACE_HOST, RunnerLease], useFactory: serviceOf }],
    };
  }
}
