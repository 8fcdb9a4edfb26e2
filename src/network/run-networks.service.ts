import { Inject, Injectable } from '@nestjs/common';
import { ApprovalsRepository } from '../approvals/approvals.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import type { Reach } from '../egress/host-gate.js';
import { Presets } from '../egress/presets.js';
import { effectiveNetwork, networkRefusal, type ProjectNetwork } from '../egress/run-network.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import { RunWalls } from '../executors/run-walls.js';
import { AppError } from '../platform/errors/app-error.js';
import { parseHostRule } from '../platform/network/host-rule.js';
import { SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import { ProjectsRepository } from '../projects/projects.repository.js';

/** What a run reaches, and why it is not what its project asks for. */
export interface RunReach extends Reach {
  reason: string | null;
}

/** Whose network it is. */
interface RunOf {
  project_id: string;
  /** The execution, whose approved requests count; null for none. */
  execution_id: string | null;
  /** The agent, which needs its model; null for scripts. */
  executor: string | null;
  /** Narrower than that of the project; undefined for that. */
  wanted?: 'none';
}

type Walls = Pick<Sandbox, 'isolation' | 'reason'>;

/** The network of runs: the narrower of what the project and the server say, and its list of hosts. */
@Injectable()
export class RunNetworks {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    private readonly walls: RunWalls,
    private readonly presets: Presets,
    private readonly projectRows: ProjectsRepository,
    private readonly approvalRows: ApprovalsRepository,
    private readonly executors: ExecutorCatalogue,
  ) {}

  /** Whether some runner could lack what runs of the project need.
   *  @throws AppError isolation_unavailable, network_unavailable */
  async require(project_id: string): Promise<void> {
    await this.walls.require();
    const { network } = await this.projectRows.networkOf(project_id);
    const { network: made } = effectiveNetwork(network, this.environment, this.sandbox);
    if (made === 'open' || made === 'host') return; // one or the other can be had anywhere
    const { isolation, isolation_reason } = await this.walls.weakest();
    this.effective(project_id, network, { isolation, reason: isolation_reason });
  }

  /** Of a run on this machine. @throws AppError network_unavailable */
  ofRun(run: RunOf): Promise<RunReach> {
    return this.reach(run, this.sandbox);
  }

  /** As it would be wherever a run is executed. @throws AppError network_unavailable */
  async anywhere(run: RunOf): Promise<RunReach> {
    const { isolation, isolation_reason } = await this.walls.weakest();
    return this.reach(run, { isolation, reason: isolation_reason });
  }

  private async reach({ project_id, execution_id, executor, wanted }: RunOf, walls: Walls): Promise<RunReach> {
    const [settings, granted] = await Promise.all([
      this.projectRows.networkOf(project_id),
      execution_id === null ? [] : this.approvalRows.grantedHosts(execution_id),
    ]);
    const { network, reason } = this.effective(project_id, wanted ?? settings.network, walls);
    this.requirePresets(project_id, network, settings.presets);
    const modelHosts = executor === null ? [] : this.executors.modelHosts(executor);
    const listed = this.presets.rules(settings.presets, settings.allowed_hosts, modelHosts);
    return { network, reason, rules: [...listed, ...granted.flatMap((host) => parseHostRule(host) ?? [])] };
  }

  private effective(project_id: string, wanted: ProjectNetwork, walls: Walls) {
    const made = effectiveNetwork(wanted, this.environment, walls);
    const reason = networkRefusal(made, walls);
    if (reason !== null) throw new AppError('network_unavailable', { project_id, network: made.network, reason });
    return made;
  }

  /** A list that silently does not apply would be taken for one that does. */
  private requirePresets(project_id: string, network: string, names: readonly string[]): void {
    const unknown = names.filter((name) => !this.presets.has(name));
    if (unknown.length === 0) return;
    const reason = `its PRESETS_FILE has no preset ${unknown.join(', ')}`;
    throw new AppError('network_unavailable', { project_id, network, reason });
  }
}
