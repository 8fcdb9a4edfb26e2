import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { CheckedWork } from '../checks/checked-work.service.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { Mark } from '../workspaces/artifact-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';
import { retryUntilAvailable } from './retry-until-available.js';

const NO_LIST = { max_files: 0, max_lines: 0, max_bytes: 0 };

/** Takes in what a turn left: commits it to the branch if the project wants that, and assesses it. */
@Injectable()
export class TurnCommits {
  private readonly logger = new Logger(TurnCommits.name);

  constructor(
    @Inject(WORKSPACE_HOST) private readonly host: WorkspaceHost,
    private readonly projectRows: ProjectsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly database: Database,
    private readonly events: AttemptEvents,
    private readonly attemptRows: AttemptsRepository,
    private readonly checked: CheckedWork,
  ) {}

  /** For the board: counts what changed, tries whether it would merge, and sees whether what was checked still stands.
   *  Of what fails, the old answer stays; a database that is away is waited for. */
  async assess(workspace: Workspace, execution: Execution, lost: AbortSignal): Promise<void> {
    const { run_reason, attempt_id, project_id } = execution;
    if (run_reason !== 'codingagent') return;
    const ifKnown = <T>(answer: () => Promise<T>): Promise<T | null> =>
      retryUntilAvailable(lost, answer).catch((error: unknown) => {
        this.logger.warn({ err: error, attempt_id }, 'the changes of a turn could not be assessed');
        return null;
      });
    const [counted, would_conflict, work_print] = await Promise.all([
      ifKnown(() => this.host.changes(workspace, { guard: NO_LIST, force: false })),
      ifKnown(() => this.host.wouldConflict(workspace)),
      ifKnown(() => this.print(workspace, project_id)),
    ]);
    const changes = counted === null || counted.blocked_reason === 'summary_failed' ? null : counted.summary;
    await ifKnown(() => this.attemptRows.setAssessment(attempt_id, { changes, would_conflict, work_print }));
    await ifKnown(async () => this.checked.note(await this.attemptRows.get(localOwner, attempt_id)));
  }

  /** What tells whether a review has seen this work; null where nobody reviews. */
  private async print(workspace: Workspace, project_id: string): Promise<string | null> {
    const { review } = await this.projectRows.get(localOwner, project_id);
    return review === null ? null : printOf(await this.host.marks(workspace));
  }

  /** Never fails: what could not be taken in stays in the worktree, and the turn as it ended. A database that is away
   *  is waited for. */
  async takeIn(workspace: Workspace, execution: Execution, end: ExecutionEnd, lost: AbortSignal): Promise<void> {
    const { attempt_id, run_reason } = execution;
    if (run_reason === 'check') return; // it has taken in what there was, and touched no worktree since
    if (end.status === 'completed' && (await this.isCommitted(workspace, execution, lost))) return;
    await this.host.refresh(workspace).catch((error: unknown) => {
      this.logger.warn({ err: error, attempt_id }, 'a worktree could not be looked at after its turn');
    });
  }

  /** @returns false where nobody wants a commit, or it failed */
  private async isCommitted(workspace: Workspace, execution: Execution, lost: AbortSignal): Promise<boolean> {
    if (execution.run_reason !== 'codingagent') return false;
    const tell = (event: (tx: Transaction) => Promise<void>) =>
      retryUntilAvailable(lost, () => this.database.transaction(event));
    try {
      const message = await retryUntilAvailable(lost, () => this.messageOf(execution));
      if (message === null) return false;
      const commits = await this.host.commit(workspace, message);
      if (Object.keys(commits).length > 0) await tell((tx) => this.events.committed(tx, execution, commits));
      return true;
    } catch (error) {
      const { attempt_id } = execution;
      this.logger.warn({ err: error, attempt_id }, 'the changes of a turn could not be committed');
      await tell((tx) => this.events.commitFailed(tx, execution)).catch((cause: unknown) => {
        this.logger.warn({ err: cause, attempt_id }, 'the failed commit could not be reported');
      });
      return false;
    }
  }

  /** Contains nothing that the agent or a person wrote. Null where nobody wants a commit. */
  private async messageOf(execution: Execution): Promise<string | null> {
    const { id, task_id, attempt_id, project_id } = execution;
    const { auto_commit } = await this.projectRows.get(localOwner, project_id);
    if (auto_commit !== 'per_turn') return null;
    return [
      `Turn ${await this.executionRows.countTurns(execution)} of task ${task_id}`,
      '',
      `Taskyard-Task: ${task_id}`,
      `Taskyard-Attempt: ${attempt_id}`,
      `Taskyard-Run: ${id}`,
      '',
    ].join('\n');
  }
}

/** By which a second agent's review knows whether anything has changed since. */
const printOf = (marks: readonly Mark[]): string => {
  const trees = marks.map(({ repo_name, tree }) => `${repo_name} ${tree}\n`).sort();
  return createHash('sha256').update(trees.join('')).digest('hex');
};
