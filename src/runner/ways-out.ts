import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HostGate } from '../egress/host-gate.js';
import { RunApi } from '../egress/run-api.js';
import { Upstream } from '../egress/upstream.js';
import { WayOut } from '../egress/way-out.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { rememberedReach } from '../network/remembered-reach.js';
import { RunNetworks } from '../network/run-networks.service.js';
import { UnlistedHosts } from '../network/unlisted-hosts.js';
import type { WayOutSocket } from '../platform/sandbox/sandbox.js';
import type { ExecutionPlan } from './execution-planner.js';

/** What is hidden from every run; and the path of a socket may have 107 bytes. */
const SOCKETS = '/tmp/taskyard-';

/** A way out for one process. */
interface OpenWayOut extends WayOutSocket {
  close: () => Promise<void>;
}

/** Opens the proxies of runs, each for its run alone. */
@Injectable()
export class WaysOut implements OnApplicationShutdown {
  private folder: Promise<string> | null = null;

  constructor(
    private readonly upstream: Upstream,
    private readonly networks: RunNetworks,
    private readonly unlisted: UnlistedHosts,
  ) {}

  /** @returns null where the run has the network of the host */
  async open(execution: TurnExecution, { network, driver }: ExecutionPlan): Promise<OpenWayOut | null> {
    const { reach, executor, endpoint } = network;
    if (reach.network === 'host') return null;
    const { id: execution_id, project_id } = execution;
    const hosts = this.unlisted.ofRun(execution);
    const gate = new HostGate({
      id: execution_id,
      reach: rememberedReach(reach, () => this.networks.ofRun({ project_id, execution_id, executor })),
      onUnlisted: (host, port, isRefused) => hosts.note(host, port, isRefused),
      hasParent: this.upstream.hasParent,
    });
    const socket = path.join(await this.socketFolder(), execution_id);
    const api = endpoint === null ? null : new RunApi(endpoint);
    const way = await WayOut.open(socket, { gate, upstream: this.upstream, api });
    return {
      socket,
      isAwaited: driver.conversation === undefined, // an agent is not as fast as a script
      close: async () => {
        await way.close();
        await hosts.close();
      },
    };
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.folder !== null) await rm(await this.folder, { recursive: true, force: true });
  }

  /** Nobody but the user of the server enters it. */
  private socketFolder(): Promise<string> {
    return (this.folder ??= mkdtemp(SOCKETS));
  }
}
