import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { AttemptTarget } from '../attempts/attempt.dto.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { AttemptChecksOutput } from '../checks/attempt-checks.dto.js';
import type { AttemptChecks } from '../checks/attempt-checks.service.js';
import { CheckedWork } from '../checks/checked-work.service.js';
import type { CheckResult } from '../checks/check.entity.js';
import { toReviewOutput } from '../comments/agent-review.dto.js';
import { AgentReviewsRepository } from '../comments/agent-reviews.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { TamperingConsent } from './tampering-consent.js';
import type { VerifiedWorkOutput } from './verified-work.dto.js';

/** The checks of one attempt, as callers see them. */
@Injectable()
export class ViewChecksService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly work: CheckedWork,
    private readonly tampering: TamperingConsent,
    private readonly reviewRows: AgentReviewsRepository,
  ) {}

  /** @throws AppError attempt_not_found, not_a_member */
  async view({ attempt_id }: AttemptTarget, principal: Principal): Promise<VerifiedWorkOutput> {
    const attempt = await this.attemptRows.get(principal, attempt_id);
    const [standing, review] = await Promise.all([this.work.look(attempt), this.reviewRows.findLatest(attempt_id)]);
    const tampering = standing.state === null ? [] : await this.tampering.look(attempt, principal);
    return { ...toOutput(attempt, standing), tampering, review: review && toReviewOutput(review) };
  }
}

const toOutput = (attempt: Attempt, { state, results }: AttemptChecks): Omit<AttemptChecksOutput, 'tampering'> => ({
  state,
  head: results[0]?.head ?? null,
  version: results[0]?.version ?? null,
  rounds_used: attempt.fix_rounds_used,
  exhausted_reason: attempt.checks_exhausted_reason,
  checks: results.map(toResult),
});

const toResult = (result: CheckResult): AttemptChecksOutput['checks'][number] => ({
  repo_id: result.repo_id,
  name: result.name,
  required: result.required,
  state: result.state,
  exit_code: result.exit_code,
  duration_ms: result.duration_ms,
  execution_process_id: result.execution_id,
  failed_before: result.failed_before,
  reason: result.reason,
});
