import { Injectable } from '@nestjs/common';
import type { NewApproval } from '../approvals/approval.entity.js';
import { ApprovalsRepository } from '../approvals/approvals.repository.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { TurnExecution } from '../executions/execution.entity.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import { Database } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import { AppError } from '../platform/errors/app-error.js';
import { refusal } from '../platform/fields/input-errors.js';
import { canonicalHost, type HostRule, hostRuleText, isListed, portsOf } from '../platform/network/host-rule.js';
import { ProjectSecretsService } from '../projects/project-secrets.service.js';
import type { RequestHostInput, RequestHostOutput } from './host-request.dto.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { RunNetworks } from './run-networks.service.js';

const DEFAULT_WAIT_MS = 20_000;

const NEXT = {
  allowed: 'Connect to it now.',
  pending: 'Go on with other work, then repeat this call: it continues the same request.',
  denied: 'Go on without it; asking again gets the same answer.',
} as const;

/** Requests of runs to reach a host that is not listed. A repeated request is the same one, whatever became of it. */
@Injectable()
export class HostRequests {
  constructor(
    private readonly database: Database,
    private readonly hub: ChangeHub,
    private readonly networks: RunNetworks,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessionRows: SessionsRepository,
    private readonly approvalRows: ApprovalsRepository,
    private readonly events: AttemptEvents,
    private readonly secrets: ProjectSecretsService,
  ) {}

  /** @throws AppError invalid_argument, forbidden where the run has no network at all */
  async request(input: RequestHostInput, principal: Principal): Promise<RequestHostOutput> {
    const rule = ruleOf(input);
    const run = await this.executionRows.findLive(principal.attempt!);
    if (run === null) throw new AppError('forbidden', { reason: 'the run is over' });
    const asked = { host: rule.host, port: rule.port };
    if (await this.isAllowed(run, rule))
      return { ...asked, status: 'allowed', approval_id: null, ...saying('allowed') };
    const approval_id = await this.find(run, rule, input.reason);
    const waitMs = input.wait_ms ?? DEFAULT_WAIT_MS;
    const end = await this.hub.waitFor(run.attempt_id, waitMs, () => this.approvalRows.findSettled(approval_id));
    const status = end === null ? 'pending' : end.status === 'approved' ? 'allowed' : 'denied';
    return { ...asked, status, approval_id, ...saying(status), reason: end?.reason ?? null };
  }

  private async isAllowed({ project_id, id, session_id }: TurnExecution, rule: HostRule): Promise<boolean> {
    const { executor } = await this.sessionRows.get(localOwner, session_id);
    const { network, rules } = await this.networks.anywhere({ project_id, execution_id: id, executor });
    if (network === 'none')
      throw new AppError(
        'forbidden',
        { reason: 'the runs of this project have no network' },
        'Go on without a network; a maintainer changes that in the project.',
      );
    return network === 'host' || portsOf(rule).every((port) => isListed(rules, rule.host, port));
  }

  /** The request that there is, else a new one. @returns its id */
  private async find(run: TurnExecution, rule: HostRule, reason: string): Promise<string> {
    const host = hostRuleText(rule);
    const known = await this.approvalRows.findHostRequest(run.id, host);
    if (known !== null) return known;
    const scrubber = await this.secrets.scrubber(run.project_id);
    const approval = requestOf(run, host, scrubber.record(reason));
    const isNew = await this.database.transaction(async (tx) => {
      const inserted = await this.approvalRows.insert(tx, approval);
      if (inserted) await this.events.approvalAsked(tx, approval);
      return inserted;
    });
    return isNew ? approval.id : (await this.approvalRows.findHostRequest(run.id, host))!;
  }
}

function ruleOf({ host: given, port }: RequestHostInput): HostRule {
  const host = canonicalHost(given.trim());
  if (port !== undefined && port > 65_535) throw refusal([{ field: 'port', message: 'port must be at most 65535' }]);
  if (host === null) throw refusal([{ field: 'host', message: `"${given}" is no host; pass the port as port` }]);
  return { host, port: port ?? null, isWildcard: false };
}

const saying = (status: keyof typeof NEXT) => ({ reason: null, next: NEXT[status] });

/** It waits as long as the run does. */
const requestOf = (run: TurnExecution, host: string, reason: string): NewApproval => ({
  id: newId(),
  execution_id: run.id,
  attempt_id: run.attempt_id,
  task_id: run.task_id,
  project_id: run.project_id,
  tool_name: 'request_host',
  tool_call: null,
  summary: `reach ${host}: ${reason}`.slice(0, 2_000),
  input: { host, reason },
  delivery: null,
  requested_host: host,
  timeout_secs: null,
});
