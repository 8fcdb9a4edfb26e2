import { Injectable } from '@nestjs/common';
import type { ApprovedHead } from '../approvals/approval.entity.js';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { AuditService } from '../audit/audit.service.js';
import { RequestChecksService } from '../check-runs/request-checks.service.js';
import { TamperingConsent } from '../check-runs/tampering-consent.js';
import { AttemptChecksService } from '../checks/attempt-checks.service.js';
import type { CheckResult } from '../checks/check.entity.js';
import { localOwner, type Principal } from '../platform/access/principal.js';
import { isRun } from '../platform/access/rights.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { toAppError } from '../platform/errors/to-app-error.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { RepoPosition } from './delivery-output.js';
import type { DeliverySubject } from './delivery-subjects.service.js';
import type { OverrideInput, Overriding } from './override.dto.js';

/** A repository whose work is to be delivered: where it is, and where its target is. */
export interface DeliveredPlace extends ApprovedHead {
  target: string | null;
}

/** Why checks keep work from being delivered: names of checks, and changed files that decide them. */
type Unverified = Record<'missing' | 'failed' | 'stale' | 'errored' | 'tampering', string[]>;

/** Delivers only what has passed its checks, where the project blocks anything else. */
@Injectable()
export class VerifiedWork {
  constructor(
    private readonly projectRows: ProjectsRepository,
    private readonly checks: AttemptChecksService,
    private readonly runs: RequestChecksService,
    private readonly tampering: TamperingConsent,
    private readonly audit: AuditService,
    private readonly database: Database,
    private readonly attemptRows: AttemptsRepository,
  ) {}

  /** Called when nothing else refuses the delivery, and before anything moves. An override is recorded.
   *  @returns the one that it needs, if any. @throws AppError checks_required, forbidden */
  async require(
    subject: DeliverySubject,
    places: readonly DeliveredPlace[],
    { override }: Overriding,
  ): Promise<OverrideInput | null> {
    if (override) requirePerson(subject.principal);
    const unverified = await this.unverified(subject, places);
    if (unverified === null) return null;
    if (!override) throw await this.refusal(subject, places, unverified);
    const { attempt, principal } = subject;
    const details = { attempt_id: attempt.id, reason: override.reason, ...unverified, heads: [...places] };
    await this.database.transaction((tx) =>
      this.audit.record(tx, principal, {
        entity_type: 'delivery',
        entity_id: attempt.id,
        task_id: attempt.task_id,
        project_id: attempt.project_id,
        action: 'checks_overridden',
        details,
      }),
    );
    return override;
  }

  /** What `require` would refuse, without asking anybody. */
  async forecast(subject: DeliverySubject, places: readonly DeliveredPlace[]): Promise<AppError | null> {
    const unverified = await this.unverified(subject, places);
    return unverified && required(subject, unverified);
  }

  /** Where the project checks before it delivers, a delivery that lacks nothing but that begins it.
   *  @throws AppError checks_running, and what the delivery throws */
  async checkFirst<T>(attempt_id: string, principal: Principal, deliver: () => Promise<T>): Promise<T> {
    try {
      return await deliver();
    } catch (error) {
      const refused = toAppError(error);
      if (refused?.code !== 'checks_required' || !(await this.begins(attempt_id, refused, principal))) throw error;
      throw new AppError('checks_running', { attempt_id });
    }
  }

  private async begins(attempt_id: string, { details }: AppError, principal: Principal): Promise<boolean> {
    const has = (kind: keyof Unverified) => Array.isArray(details[kind]) && details[kind].length > 0;
    if (has('failed') || has('errored') || !(has('missing') || has('stale'))) return false;
    const { project_id } = await this.attemptRows.get(principal, attempt_id);
    const { check_on } = await this.projectRows.get(localOwner, project_id);
    if (check_on !== 'delivery') return false;
    await this.runs.begin(attempt_id, 'delivery', principal);
    return true;
  }

  /** Null where nothing is in the way. */
  private async unverified(
    { attempt, workspace }: DeliverySubject,
    places: readonly DeliveredPlace[],
  ): Promise<Unverified | null> {
    const { checks } = await this.projectRows.get(localOwner, attempt.project_id);
    if (checks !== 'block' || places.length === 0) return null;
    const now = places.map(({ repo_id, head, target }) => ({
      ...{ repo_id, head, target },
      ...{ isContained: false, uncommitted: false },
    }));
    const { results } = await this.checks.of(attempt, now);
    const required = results.filter((one) => one.required && places.some(({ repo_id }) => repo_id === one.repo_id));
    const tampering = await this.tampering.unanswered(workspace, places);
    const named = (...states: CheckResult['state'][]) =>
      required.filter(({ state }) => states.includes(state)).map(({ name }) => name);
    const found = {
      missing: named('pending', 'running'),
      failed: named('failed'),
      stale: named('stale'),
      errored: named('errored'),
      tampering,
    };
    return Object.values(found).some((names) => names.length > 0) ? found : null;
  }

  private async refusal(
    subject: DeliverySubject,
    places: readonly DeliveredPlace[],
    unverified: Unverified,
  ): Promise<AppError> {
    if (unverified.tampering.length === 0) return required(subject, unverified);
    const approval_id = await this.tampering.ask(subject, places, unverified.tampering);
    return required(subject, unverified, approval_id);
  }
}

export const placeOf = ({
  repo: { repo_id, repo_name },
  standing: { head, target },
}: RepoPosition): DeliveredPlace => ({
  repo_id,
  repo_name,
  head,
  target: target?.commit ?? null,
});

/** Overriding is for people who may deliver, not for agents. @throws AppError forbidden */
function requirePerson(principal: Principal): void {
  if (isRun(principal) || principal.actor.type === 'agent')
    throw new AppError('forbidden', { reason: 'a person must decide to deliver what has not passed its checks' });
}

/** @param approval_id what a person has to answer first, if anything */
function required(
  { attempt: { id: attempt_id, project_id } }: DeliverySubject,
  unverified: Unverified,
  approval_id: string | null = null,
): AppError {
  const parts = Object.entries(unverified).filter(([, names]) => names.length > 0);
  const summary = parts.map(([kind, names]) => `${WORDS[kind]} ${names.join(', ')}`).join('; ');
  const { missing, failed, stale, errored, tampering } = unverified;
  return new AppError(
    'checks_required',
    { attempt_id, project_id, summary, missing, failed, stale, errored, tampering, approval_id },
    approval_id === null ? undefined : ASKED,
  );
}

const WORDS: Record<string, string> = {
  missing: 'not run:',
  failed: 'failed:',
  stale: 'not run on this commit:',
  errored: 'could not run:',
  tampering: 'changed files that decide the checks:',
};
const ASKED =
  'A person must accept the changes of those files: approval {approval_id}. Once it is approved, and the checks have ' +
  'passed, call again; {next:get_attempt_delivery} shows their state.';
