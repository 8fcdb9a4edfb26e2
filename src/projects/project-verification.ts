import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import type { Principal } from '../platform/access/principal.js';
import { withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import type { UpdateProjectInput } from './project.dto.js';
import type { Project, ReviewPolicy, VerificationSettings } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import type { ReviewPolicyFields } from './verification.dto.js';

/** How a project has work verified before it is delivered; only a maintainer decides that. */
@Injectable()
export class ProjectVerification {
  constructor(
    private readonly executors: ExecutorCatalogue,
    private readonly projectRows: ProjectsRepository,
  ) {}

  /** The settings after a change.
   *  @throws AppError forbidden, insufficient_scope, executor_unknown, variant_unknown, executor_without_mcp */
  async changed(project: Project, change: UpdateProjectInput, principal: Principal): Promise<VerificationSettings> {
    const { checks, check_on, fix_rounds, review, retries } = project;
    const before: VerificationSettings = { checks, check_on, fix_rounds, review, retries };
    const after: VerificationSettings = {
      checks: change.checks ?? checks,
      check_on: change.check_on ?? check_on,
      fix_rounds: change.fix_rounds ?? fix_rounds,
      review: change.review === undefined ? review : policyOf(change.review),
      retries: { ...retries, ...change.retries },
    };
    if (isDeepStrictEqual(after, before)) return before;
    await this.projectRows.get(withRight(principal, rightOf({ scope: 'write', role: 'maintainer' })), project.id);
    if (after.review !== null && !isDeepStrictEqual(after.review, review)) await this.requireReviewer(after.review);
    return after;
  }

  private async requireReviewer({ executor, variant }: ReviewPolicy): Promise<void> {
    await this.executors.requireMcp(executor);
    await this.executors.chooseVariant(executor, variant ?? undefined);
  }
}

const policyOf = (given: ReviewPolicyFields | null): ReviewPolicy | null =>
  given && { executor: given.executor, variant: given.variant ?? null, rounds: given.rounds ?? 1 };
