import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { CheckedWork } from '../checks/checked-work.service.js';
import { AttemptEvents } from '../executions/attempt-events.js';
import type { Execution } from '../executions/execution.entity.js';
import { type ExecutionEnd, ExecutionsRepository } from '../executions/executions.repository.js';
import { localOwner } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { Mark } from '../workspaces/artifact-host.js';
import { type Workspace, WORKSPACE_HOST, type WorkspaceHost } from '../workspaces/workspace-host.js';

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
   *  Of what fails, the old answer stays. */
  async assess(workspace: Workspace, { run_reason, attempt_id, project_id }: Execution): Promise<void> {
    if (run_reason !== 'codingagent') return;
    const ifKnown = <T>(answer: Promise<T>): Promise<T | null> =>
      answer.catch((error: unknown) => {
        this.logger.warn({ err: error, attempt_id }, 'the changes of a turn could not be assessed');
        return null;
      });
    const [counted, would_conflict, work_print] = await Promise.all([
      ifKnown(this.host.changes(workspace, { guard: NO_LIST, force: false })),
      ifKnown(this.host.wouldConflict(workspace)),
      ifKnown(this.print(workspace, project_id)),
    ]);
    const changes = counted === null || counted.blocked_reason === 'summary_failed' ? null : counted.summary;
    await ifKnown(this.attemptRows.setAssessment(attempt_id, { changes, would_conflict, work_print }));
    await ifKnown(this.attemptRows.get(localOwner, attempt_id).then((attempt) => this.checked.note(attempt)));
  }

  /** What tells whether a review has seen this work; null where nobody reviews. */
  private async print(workspace: Workspace, project_id: string): Promise<string | null> {
    const { review } = await this.projectRows.get(localOwner, project_id);
    return review === null ? null : printOf(await this.host.marks(workspace));
  }

  /** Never fails: what could not be taken in stays in the worktree, and the turn as it ended. */
  async takeIn(workspace: Workspace, execution: Execution, end: ExecutionEnd): Promise<void> {
    const { attempt_id } = execution;
    if (end.status === 'completed' && (await this.isCommitted(workspace, execution))) return;
    await this.host.refresh(workspace).catch((error: unknown) => {
      this.logger.warn({ err: error, attempt_id }, 'a worktree could not be looked at after its turn');
    });
  }

  /** @returns false where nobody wants a commit, or it failed */
  private async isCommitted(workspace: Workspace, execution: Execution): Promise<boolean> {
    if (execution.run_reason !== 'codingagent') return false;
    try {
      const { auto_commit } = await this.projectRows.get(localOwner, execution.project_id);
      if (auto_commit !== 'per_turn') return false;
      const turn = await this.executionRows.countTurns(execution);
      const commits = await this.host.commit(workspace, message(execution, turn));
      if (Object.keys(commits).length > 0)
        await this.database.transaction((tx) => this.events.committed(tx, execution, commits));
      return true;
    } catch (error) {
      const { attempt_id } = execution;
      this.logger.warn({ err: error, attempt_id }, 'the changes of a turn could not be committed');
      await this.reportFailure(execution);
      return false;
    }
  }

  private async reportFailure(execution: Execution): Promise<void> {
    try {
      await this.database.transaction((tx) => this.events.commitFailed(tx, execution));
    } catch (error) {
      this.logger.warn({ err: error, attempt_id: execution.attempt_id }, 'the failed commit could not be reported');
    }
  }
}

/** By which a second agent's review knows whether anything has changed since. */
const printOf = (marks: readonly Mark[]): string => {
  const trees = marks.map(({ repo_name, tree }) => `${repo_name} ${tree}\n`).sort();
  return createHash('sha256').update(trees.join('')).digest('hex');
};

/** Contains nothing that the agent or a person wrote. */
const message = ({ id, task_id, attempt_id }: Execution, turn: number): string =>
  [
    `Turn ${turn} of task ${task_id}`,
    '',
    `Taskyard-Task: ${task_id}`,
    `Taskyard-Attempt: ${attempt_id}`,
    `Taskyard-Run: ${id}`,
    '',
  ].join('\n');
