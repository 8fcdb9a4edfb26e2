import { Injectable } from '@nestjs/common';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { ExecutorCatalogue } from '../executors/executor-catalogue.js';
import type { Principal } from '../platform/access/principal.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';

export interface ChosenExecutor {
  executor: string;
  /** The one to store; null where the executor has none. */
  variant: string | null;
}

/** It is not replaced by another variant, which may allow the agent more. */
const VARIANT_GONE =
  'The session was begun with a variant that is no longer configured. Pass variant with one of: {known}; ' +
  'or work on with a new attempt: {op:start_task_attempt}.';

/** Which executor and variant a caller may use: an agent only its own, because another might allow it more. */
@Injectable()
export class ExecutorChoice {
  constructor(
    private readonly executors: ExecutorCatalogue,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessionRows: SessionsRepository,
  ) {}

  /** One that can start now. @param hint what to do about an unknown variant, if that is not obvious
   *  @throws AppError executor_unknown, variant_unknown, executor_unavailable, forbidden */
  async choose(
    { executor, variant }: { executor: string; variant: string | undefined },
    principal: Principal,
    hint?: string,
  ): Promise<ChosenExecutor> {
    const chosen = await this.executors.choose(executor, variant, hint);
    if (principal.attempt !== null) await this.requireOwn(chosen, principal.attempt, principal);
    return chosen;
  }

  /** The executor of a session for another turn. @param variant in place of its own
   *  @throws AppError variant_unknown, executor_unavailable, forbidden */
  chooseFor(session: Session, variant: string | undefined, principal: Principal): Promise<ChosenExecutor> {
    const hint = variant === undefined ? VARIANT_GONE : undefined;
    return this.choose(
      { executor: session.executor, variant: variant ?? session.variant ?? undefined },
      principal,
      hint,
    );
  }

  /** Whether it understands words, which a shell would execute. */
  async takesWords(executor: string): Promise<boolean> {
    return (await this.executors.takes(executor)) !== 'script';
  }

  /** @throws AppError executor_takes_scripts */
  async requireWords(executor: string): Promise<void> {
    if (!(await this.takesWords(executor))) throw new AppError('executor_takes_scripts', { executor });
  }

  private async requireOwn({ executor, variant }: ChosenExecutor, attempt_id: string, principal: Principal) {
    const live = await this.executionRows.findLive(attempt_id);
    if (live === null) throw new AppError('forbidden', { reason: 'the run has ended' });
    const own = await this.sessionRows.get(principal, live.session_id);
    if (own.executor === executor && live.variant === variant) return;
    throw new AppError(
      'forbidden',
      { reason: 'a run may start no executor or variant but its own' },
      `Pass executor ${own.executor}${live.variant === null ? ' without a variant' : ` and variant ${live.variant}`}.`,
    );
  }
}
