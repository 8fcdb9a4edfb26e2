import { Inject, Injectable } from '@nestjs/common';
import { RunnerLease } from '../cluster/runner-lease.js';
import { isLive, type RunnerRow, RunnersRepository } from '../cluster/runners.repository.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { effectiveNetwork } from '../egress/run-network.js';
import type { PageOutput } from '../platform/fields/paging.js';
import { type Limits, SANDBOX, type Sandbox } from '../platform/sandbox/sandbox.js';
import type { ServerExecutorsOutput } from './executor.dto.js';

type Walls = Omit<ServerExecutorsOutput, 'executors' | keyof PageOutput>;

/** From the strongest to the weakest. */
const KEPT_BY: readonly (Limits['memory'] | Limits['disk'])[] = ['cgroup', 'watched', 'prlimit', 'none'];

/** How runs are confined at least, whichever living runner they go to. */
@Injectable()
export class RunWalls {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @Inject(SANDBOX) private readonly sandbox: Sandbox,
    private readonly lease: RunnerLease,
    private readonly runnerRows: RunnersRepository,
  ) {}

  async weakest(): Promise<Walls> {
    const live = (await this.runnerRows.list()).filter(({ role, state }) => role !== 'api' && isLive(state));
    const walls = this.isolationAmong(live);
    const most = effectiveNetwork('open', this.environment, { ...walls, reason: walls.isolation_reason });
    return { ...walls, network: most.network, network_reason: most.reason, limits: this.limitsAmong(live) };
  }

  /** Whether this process, which runs turns itself, can start them. @throws AppError isolation_unavailable */
  async require(): Promise<void> {
    if (this.environment.ROLE === 'all') await this.sandbox.ready(0);
  }

  private isolationAmong(live: RunnerRow[]): Pick<Walls, 'isolation' | 'isolation_reason'> {
    const { isolation, reason } = this.sandbox;
    const open = live.find((runner) => runner.isolation === 'none');
    if (open && open.runner_id !== this.lease.id)
      return { isolation: 'none', isolation_reason: `the runs of ${open.address} are not isolated` };
    if (open || live.length === 0) return { isolation, isolation_reason: reason };
    if (live.some((runner) => runner.isolation === 'container'))
      return { isolation: 'container', isolation_reason: isolation === 'container' ? reason : null };
    return { isolation: 'bubblewrap', isolation_reason: null };
  }

  private limitsAmong(live: RunnerRow[]): Limits {
    const [first = this.sandbox.limits, ...others] = live.map(({ limits }) => limits);
    return others.reduce(
      (weakest, { memory, processes, disk, reason }) => ({
        memory: weaker(weakest.memory, memory),
        processes: weaker(weakest.processes, processes),
        disk: weaker(weakest.disk, disk),
        reason: weakest.reason ?? reason,
      }),
      first,
    );
  }
}

const weaker = <Keeper extends Limits['memory'] | Limits['disk']>(one: Keeper, other: Keeper): Keeper =>
  KEPT_BY.indexOf(one) > KEPT_BY.indexOf(other) ? one : other;
