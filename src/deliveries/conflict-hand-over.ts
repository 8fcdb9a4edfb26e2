import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import type { Principal } from '../platform/access/principal.js';
import { isRun, requireCaller, requireMade, withRight } from '../platform/access/rights.js';
import { rightOf } from '../platform/access/scopes.js';
import type { Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import type { Session } from '../sessions/session.entity.js';
import { SessionsRepository } from '../sessions/sessions.repository.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { ExecutorChoice } from '../turns/executor-choice.js';
import { TurnsService } from '../turns/turns.service.js';
import { WaitingMessages } from '../turns/waiting-messages.js';
import type { Workspace } from '../workspaces/workspace-host.js';
import { ConflictPrompt } from './conflict-prompt.js';

const BY_HAND =
  'Call {next:update_attempt_branch action=start}, resolve it in the worktree, then call ' +
  '{op:update_attempt_branch action=continue} and merge again.';

/** Gives a conflict to the agent whose branch is updated. Its message waits for the end of the update, like any other
 *  that is queued meanwhile, and so survives the server. */
@Injectable()
export class ConflictHandOver {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly sessions: SessionsService,
    private readonly sessionRows: SessionsRepository,
    private readonly executors: ExecutorChoice,
    private readonly prompts: ConflictPrompt,
    private readonly turns: TurnsService,
    private readonly messages: WaitingMessages,
  ) {}

  /** The session that would resolve it; checked before anything moves.
   *  @throws AppError insufficient_scope, not_a_member, no_session_yet, executor_takes_scripts, executor_unavailable,
   *  variant_unknown, forbidden, and what keeps a turn from starting */
  async resolver(attempt_id: string, principal: Principal): Promise<Session> {
    requireCaller(principal, false, 'have its conflicts resolved');
    const starter = withRight(principal, rightOf({ scope: 'execute' }));
    const attempt = await this.attemptRows.get(starter, attempt_id);
    requireMade(starter, attempt);
    const session = await this.sessions.resolve({ attempt_id }, starter);
    await this.executors.requireWords(session.executor);
    await this.executors.chooseFor(session, undefined, starter);
    await this.turns.requireRoom(attempt, starter);
    return session;
  }

  /** A conflict that has no agent to be given to is refused with the other way. */
  async refusalFor(conflict: AppError, attempt_id: string, principal: Principal): Promise<AppError> {
    const session = isRun(principal) ? null : await this.sessionRows.findLatest(attempt_id);
    const hasAgent = session !== null && (await this.executors.takesWords(session.executor));
    return hasAgent ? conflict : new AppError(conflict.code, conflict.details, BY_HAND);
  }

  /** @param more what the caller adds. @throws AppError no_operation, workspace_lost */
  async prompt(workspace: Workspace, more: string | undefined): Promise<string> {
    const conflicts = await this.prompts.make(workspace);
    return more === undefined ? conflicts : `${conflicts}\n\n${more}`;
  }

  /** @throws AppError too_much_stored */
  async ask(tx: Transaction, session: Session, prompt: string, principal: Principal): Promise<void> {
    const live = await this.executionRows.findLive(session.attempt_id);
    const message = { prompt, variant: null, timeout_secs: live?.timeout_secs ?? null };
    await this.messages.put(tx, session, message, principal);
  }
}
