import { Injectable } from '@nestjs/common';
import { RepoChecksRepository } from '../checks/repo-checks.repository.js';
import { ForgesService } from '../forges/forges.service.js';
import { type Offer, Offers } from '../mcp/providers.js';
import type { Principal } from '../platform/access/principal.js';
import { membershipOf, projectScope, runReachOf } from '../platform/access/rights.js';
import type { Scope } from '../platform/access/scopes.js';
import { ProjectMembersRepository } from '../projects/project-members.repository.js';

/** Lists what a caller can use: by its scopes, its roles and checks in projects, and the forges of this server. */
@Injectable()
export class CallerOffers extends Offers {
  constructor(
    private readonly forges: ForgesService,
    private readonly members: ProjectMembersRepository,
    private readonly checks: RepoChecksRepository,
  ) {
    super();
  }

  async of(principal: Principal): Promise<Offer> {
    return {
      scopes: await this.usable(principal),
      run: runReachOf(principal),
      hasForge: this.forges.list().length > 0,
      hasChecks: await this.checks.anyIn(projectScope(principal), membershipOf(principal)),
    };
  }

  /** Without `deliver` where no project lets the worker deliver. */
  private async usable(principal: Principal): Promise<readonly Scope[]> {
    const { worker, scopes } = principal;
    if (worker === null || !scopes.includes('deliver')) return scopes;
    return (await this.members.mayAnywhere(principal, 'deliver')) ? scopes : scopes.filter((one) => one !== 'deliver');
  }
}
