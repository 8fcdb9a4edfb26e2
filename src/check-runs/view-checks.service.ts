import { Injectable } from '@nestjs/common';
import type { Attempt } from '../attempts/attempt.entity.js';
import type { AttemptTarget } from '../attempts/attempt.dto.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import type { AttemptChecksOutput } from '../checks/attempt-checks.dto.js';
import { type AttemptChecks, AttemptChecksService } from '../checks/attempt-checks.service.js';
import type { CheckResult } from '../checks/check.entity.js';
import type { Principal } from '../platform/access/principal.js';
import { TamperingConsent } from './tampering-consent.js';

/** The checks of one attempt, as callers see them. */
@Injectable()
export class ViewChecksService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly checks: AttemptChecksService,
    private readonly tampering: TamperingConsent,
  ) {}

  /** @throws AppError attempt_not_found, not_a_member */
  async view({ attempt_id }: AttemptTarget, principal: Principal): Promise<AttemptChecksOutput> {
    const attempt = await this.attemptRows.get(principal, attempt_id);
    const standing = await this.checks.of(attempt);
    const tampering = standing.state === null ? [] : await this.tampering.look(attempt, principal);
    return { ...toOutput(attempt, standing), tampering };
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
