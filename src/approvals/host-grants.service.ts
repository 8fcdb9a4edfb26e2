import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import type { Transaction } from '../platform/database/database.js';
import { refusal } from '../platform/fields/input-errors.js';
import { projectFact } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { Approval, HostGrant } from './approval.entity.js';
import type { AnswerApprovalInput } from './approval.dto.js';

/** For whom an approved host may be reached. */
@Injectable()
export class HostGrants {
  constructor(
    private readonly projectRows: ProjectsRepository,
    private readonly audit: AuditService,
  ) {}

  /** @returns for whom, or null where the request is for no host or is denied
   *  @throws AppError invalid_argument, and for a whole project forbidden, insufficient_scope */
  async grant(
    tx: Transaction,
    { requested_host, project_id }: Approval,
    { decision, for: wanted }: AnswerApprovalInput,
    principal: Principal,
  ): Promise<HostGrant | null> {
    if (requested_host === null && wanted !== undefined)
      throw refusal([{ field: 'for', message: 'for is only for requests of hosts; leave it out' }]);
    if (requested_host === null || decision === 'deny') return null;
    if (wanted === 'project') await this.addToProject(tx, project_id, requested_host, principal);
    return wanted ?? 'run';
  }

  private async addToProject(tx: Transaction, project_id: string, host: string, principal: Principal): Promise<void> {
    const maintainer = withRight(principal, rightOf({ scope: 'write', role: 'maintainer' }));
    const { allowed_hosts } = await this.projectRows.lock(tx, maintainer, project_id);
    if (allowed_hosts.includes(host)) return;
    const after = { allowed_hosts: [...allowed_hosts, host] };
    await this.projectRows.update(tx, project_id, after);
    await this.audit.record(tx, principal, projectFact(project_id, 'updated', { before: { allowed_hosts }, after }));
  }
}
