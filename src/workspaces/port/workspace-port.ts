import { hostname } from 'node:os';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Environment } from '../../config/environment.js';
import { isLoopback } from '../../platform/access/access-control.js';
import type { RunnerLease } from '../../platform/cluster/runner-lease.js';
import type { WorkspaceHost } from '../workspace-host.js';
import { PortClient } from './port-client.js';
import { PortServer } from './port-server.js';

/** Both ends of the port in this process: what it asks others, and where it holds worktrees what it answers. */
export class WorkspacePort implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly client: PortClient;
  private readonly server: PortServer | null;

  constructor(
    private readonly environment: Environment,
    private readonly lease: RunnerLease,
    local: WorkspaceHost,
  ) {
    const { CLUSTER_SECRET, ROLE } = environment;
    this.client = new PortClient(CLUSTER_SECRET);
    this.server = ROLE === 'api' ? null : new PortServer(local, lease.id, CLUSTER_SECRET);
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.server === null) return;
    const { INTERNAL_PORT, INTERNAL_ADDRESS } = this.environment;
    const [, host = ''] = /^(.*):\d+$/.exec(INTERNAL_ADDRESS) ?? [];
    const port = await this.server.listen(INTERNAL_PORT, isLoopback(host) ? host : undefined);
    if (INTERNAL_PORT === 0) await this.lease.moveTo(`${host || hostname()}:${port}`);
  }

  async onApplicationShutdown(): Promise<void> {
    this.client.close();
    await this.server?.close();
  }
}
