import { Controller } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { hostRuleText } from '../platform/network/host-rule.js';
import { Caller, Endpoint, Input } from '../platform/rest/endpoint.decorator.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { AttemptNetworkInput, AttemptNetworkOutput } from './attempt-network.dto.js';
import { NetworkDenialsRepository } from './network-denials.repository.js';
import { RunNetworks } from './run-networks.service.js';

@Controller('api')
export class AttemptNetworkController {
  constructor(
    private readonly networks: RunNetworks,
    private readonly denialRows: NetworkDenialsRepository,
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessionRows: SessionsRepository,
  ) {}

  @Endpoint('GET attempts/:attempt_id/network', {
    tag: 'attempts',
    summary: 'Show what the runs of an attempt may reach, and what they wanted beyond that.',
    scope: 'read',
    output: AttemptNetworkOutput,
    errors: ['attempt_not_found', 'network_unavailable'],
  })
  async getAttemptNetwork(
    @Input() { attempt_id }: AttemptNetworkInput,
    @Caller() caller: Principal,
  ): Promise<AttemptNetworkOutput> {
    const { project_id } = await this.attemptRows.get(caller, attempt_id);
    const [live, session, denials] = await Promise.all([
      this.executionRows.findLive(attempt_id),
      this.sessionRows.findLatest(attempt_id),
      this.denialRows.list(attempt_id),
    ]);
    const run = { project_id, execution_id: live?.id ?? null, executor: session?.executor ?? null };
    const { network, reason, rules } = await this.networks.anywhere(run);
    return {
      attempt_id,
      network,
      reason,
      allowed: network === 'none' ? [] : rules.map(hostRuleText),
      denials: denials.map(({ last_at, ...row }) => ({ ...row, last_at: last_at.toISOString() })),
    };
  }
}
