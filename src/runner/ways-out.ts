import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { HostGate } from '../egress/host-gate.js';
import { RunApi } from '../egress/run-api.js';
import { Upstream } from '../egress/upstream.js';
import { WayOut } from '../egress/way-out.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { rememberedReach } from '../network/remembered-reach.js';
import { RunNetworks } from '../network/run-networks.service.js';
import { UnlistedHosts } from '../network/unlisted-hosts.js';
import { canonicalHost } from '../platform/network/host-rule.js';
import type { WayOutSocket } from '../platform/sandbox/sandbox.js';
import type { PlannedNetwork } from './planned-network.js';

/** Hidden from every run, and short: the path of a socket may have 107 bytes. */
const PLACE = '/tmp';

/** A way out for one process. */
interface OpenWayOut extends WayOutSocket {
  close: () => Promise<void>;
}

/** Opens the proxies of runs, each for its run alone. */
@Injectable()
export class WaysOut implements OnApplicationShutdown {
  private folder: Promise<string> | null = null;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    private readonly upstream: Upstream,
    private readonly networks: RunNetworks,
    private readonly unlisted: UnlistedHosts,
  ) {}

  /** @returns null where the run has the network of the host */
  async open(execution: TurnExecution, { reach, executor, endpoint }: PlannedNetwork): Promise<OpenWayOut | null> {
    if (reach.network === 'host') return null;
    const { id: execution_id, project_id } = execution;
    const hosts = this.unlisted.ofRun(execution);
    const gate = new HostGate({
      id: execution_id,
      reach: rememberedReach(reach, () => this.networks.ofRun({ project_id, execution_id, executor })),
      onUnlisted: (host, port, isRefused) => hosts.note(host, port, isRefused),
      hasParent: this.upstream.hasParent,
      home: homesOf(this.environment),
    });
    const socket = path.join(await this.socketFolder(), execution_id);
    const api = endpoint === null ? null : new RunApi(endpoint);
    const way = await WayOut.open(socket, { gate, upstream: this.upstream, api });
    return {
      socket,
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
    this.folder ??= this.makeFolder().catch((error: unknown) => {
      this.folder = null; // the next run tries again
      throw error;
    });
    return this.folder;
  }

  /** What a killed server left goes: no two have one DATA_DIR. */
  private async makeFolder(): Promise<string> {
    const prefix = `taskyard-${hash('sha256', this.environment.DATA_DIR).slice(0, 8)}-`;
    const left = (await readdir(PLACE)).filter((name) => name.startsWith(prefix));
    const remove = (name: string) => rm(path.join(PLACE, name), { recursive: true, force: true });
    await Promise.allSettled(left.map(remove)); // one of another user stays
    return mkdtemp(path.join(PLACE, prefix));
  }
}

/** Names of this server: behind TLS nobody could tell there who a run says it is. */
const homesOf = ({ PUBLIC_URL, AGENT_API_URL }: Environment): string[] =>
  [PUBLIC_URL, AGENT_API_URL].filter(Boolean).flatMap((url) => canonicalHost(new URL(url).hostname) ?? []);
