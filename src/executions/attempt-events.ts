import { Injectable } from '@nestjs/common';
import { EventLog } from '../events/event-log.js';
import { ChangeHub } from '../platform/database/change-hub.js';
import type { Transaction } from '../platform/database/database.js';
import type { EventEntry, EventType } from '../executors/log-entry.js';
import type { Execution } from './execution.entity.js';
import { LogRepository } from './log.repository.js';

interface AskedApproval {
  id: string;
  attempt_id: string;
  execution_id: string | null;
  task_id: string;
  project_id: string;
  tool_name: string;
}
type SettledAs = 'approved' | 'denied' | 'timed_out' | 'cancelled';

const turnKinds = { started: 'started', completed: 'completed', failed: 'failed', killed: 'stopped' } as const;
const approvalKinds = {
  asked: 'asked',
  approved: 'answered',
  denied: 'answered',
  timed_out: 'timed_out',
  cancelled: 'cancelled',
} as const;

/** Key for streams of the channel `events`, which are not woken by every line of a run. */
export const eventsKey = (attempt_id: string): string => `${attempt_id}:events`;

/** Writes the channel `events` of an attempt and the events of its board, in the transaction of the change; waiters are
 *  woken after it. */
@Injectable()
export class AttemptEvents {
  constructor(
    private readonly logs: LogRepository,
    private readonly hub: ChangeHub,
    private readonly board: EventLog,
  ) {}

  /** An execution was queued, started or ended. */
  state(
    tx: Transaction,
    execution: Pick<Execution, 'id' | 'attempt_id' | 'run_reason' | 'status'> & { failure_summary?: string | null },
  ): Promise<void> {
    const { run_reason, status, failure_summary } = execution;
    return this.add(tx, execution.attempt_id, execution.id, {
      type: 'state',
      content: `${run_reason} ${status}`,
      metadata: { run_reason, status, ...(failure_summary ? { failure_summary } : {}) },
    });
  }

  /** A turn began, or ended with the result of its last execution. */
  turn(
    tx: Transaction,
    execution: Execution & { failure_summary?: string | null },
    became: keyof typeof turnKinds,
    executor: string,
  ): Promise<void> {
    const { id, attempt_id, session_id, task_id, project_id, exit_code, failure_summary } = execution;
    const about = { attempt_id, task_id, session_id, execution_process_id: id, executor };
    return this.board.record(tx, {
      project_id,
      type: `taskyard.attempt.${turnKinds[became]}`,
      subject: attempt_id,
      data: became === 'started' ? about : { ...about, exit_code, failure_summary },
    });
  }

  stopRequested(tx: Transaction, execution: Execution, force: boolean): Promise<void> {
    return this.add(tx, execution.attempt_id, execution.id, {
      type: 'stop_requested',
      content: force ? 'stop requested (force)' : 'stop requested',
      metadata: { force },
    });
  }

  async approvalAsked(tx: Transaction, approval: AskedApproval): Promise<void> {
    const { id, attempt_id, execution_id, tool_name } = approval;
    await this.approval(tx, approval, 'asked');
    await this.add(tx, attempt_id, execution_id, {
      type: 'approval_asked',
      content: `the agent requests approval for ${tool_name}`,
      metadata: { approval_id: id, tool_name },
    });
  }

  async approvalSettled(tx: Transaction, approval: AskedApproval, status: SettledAs): Promise<void> {
    const { id, attempt_id, execution_id } = approval;
    await this.approval(tx, approval, status);
    await this.add(tx, attempt_id, execution_id, {
      type: 'approval_settled',
      content: `the approval request was ${status}`,
      metadata: { approval_id: id, status },
    });
  }

  /** @param commits by the name of the repository */
  committed(
    tx: Transaction,
    { id, attempt_id }: Pick<Execution, 'id' | 'attempt_id'>,
    commits: Record<string, string>,
  ): Promise<void> {
    return this.add(tx, attempt_id, id, {
      type: 'committed',
      content: 'the changes of the turn were committed',
      metadata: { commits },
    });
  }

  commitFailed(tx: Transaction, { id, attempt_id }: Pick<Execution, 'id' | 'attempt_id'>): Promise<void> {
    return this.add(tx, attempt_id, id, {
      type: 'commit_failed',
      content: 'the changes of the turn could not be committed; they remain in the worktree',
    });
  }

  /** @param saved_at null if nothing had been saved */
  moved(
    tx: Transaction,
    attempt_id: string,
    { from, to, saved_at }: { from: string; to: string; saved_at: Date | null },
  ): Promise<void> {
    const work =
      saved_at === null ? 'no work had been saved' : `the work is as it was saved at ${saved_at.toISOString()}`;
    return this.add(tx, attempt_id, null, {
      type: 'moved',
      content: `the worktrees were rebuilt on another runner: ${work}`,
      metadata: { from, to, saved_at: saved_at?.toISOString() ?? null },
    });
  }

  /** The last save failed: if the runner is lost, later work is lost, too. */
  workNotSaved(
    tx: Transaction,
    { id, attempt_id }: Pick<Execution, 'id' | 'attempt_id'>,
    repos: string[],
    max_bytes: number,
  ): Promise<void> {
    return this.add(tx, attempt_id, id, {
      type: 'work_not_saved',
      content: `the work is too large to be saved: more than ${max_bytes} bytes in ${repos.join(', ')}`,
      metadata: { repos, max_bytes },
    });
  }

  /** The remote refused a save, which went to the database instead. */
  workNotInRemote(
    tx: Transaction,
    { id, attempt_id }: Pick<Execution, 'id' | 'attempt_id'>,
    { repo_name, reason }: { repo_name: string; reason: string },
  ): Promise<void> {
    return this.add(tx, attempt_id, id, {
      type: 'work_not_saved',
      content: `the work is saved in the database, as the remote of ${repo_name} could not take it: ${reason}`,
      metadata: { repos: [repo_name], reason },
    });
  }

  /** The worktrees of an idle attempt could not be created; they are tried again when needed. */
  workspaceLost(tx: Transaction, attempt_id: string, reason: string): Promise<void> {
    return this.add(tx, attempt_id, null, {
      type: 'state',
      content: `the worktrees could not be made: ${reason}`,
      metadata: { workspace_state: 'lost', failure_summary: reason },
    });
  }

  /** A run wanted a host that it may not reach, for the first time. */
  async networkDenied(
    tx: Transaction,
    { id, attempt_id, task_id, project_id }: Pick<Execution, 'id' | 'attempt_id' | 'task_id' | 'project_id'>,
    { host, port }: { host: string; port: number },
  ): Promise<void> {
    const data = { attempt_id, task_id, execution_process_id: id, host, port };
    await this.board.record(tx, { project_id, type: 'taskyard.network.denied', subject: attempt_id, data });
    await this.add(tx, attempt_id, id, {
      type: 'network_denied',
      content: `the run may not reach ${host}:${port}`,
      metadata: { host, port },
    });
  }

  /** The agent that was asked to resolve an update did not, which therefore stands as it is. */
  updateLeft(tx: Transaction, attempt_id: string, { code, message }: { code: string; message: string }): Promise<void> {
    return this.add(tx, attempt_id, null, {
      type: 'update_left',
      content: `the update was not completed: ${message}`,
      metadata: { code },
    });
  }

  /** A look found the work otherwise than the records said. */
  async deliveryChanged(
    tx: Transaction,
    { attempt_id, task_id, project_id }: Pick<Execution, 'attempt_id' | 'task_id' | 'project_id'>,
    delivery_state: 'conflicted' | 'ready',
  ): Promise<void> {
    const data = { attempt_id, task_id, delivery_state };
    await this.board.record(tx, { project_id, type: 'taskyard.attempt.delivery_changed', subject: attempt_id, data });
    this.hub.changed(attempt_id);
  }

  /** Result of a delivery in one repository. */
  delivery(
    tx: Transaction,
    attempt_id: string,
    event: { type: EventType; content: string; metadata: Record<string, unknown> },
  ): Promise<void> {
    return this.add(tx, attempt_id, null, event);
  }

  private approval(
    tx: Transaction,
    { id, attempt_id, execution_id, task_id, project_id, tool_name }: AskedApproval,
    status: keyof typeof approvalKinds,
  ): Promise<void> {
    const about = { approval_id: id, attempt_id, task_id, execution_process_id: execution_id, tool_name };
    return this.board.record(tx, {
      project_id,
      type: `taskyard.approval.${approvalKinds[status]}`,
      subject: id,
      data: status === 'asked' ? about : { ...about, status },
    });
  }

  /** To the channel of the attempt. */
  async add(_tx: Transaction, attempt_id: string, execution_id: string | null, entry: EventEntry): Promise<void> {
    await this.logs.appendEvent(attempt_id, execution_id, entry);
    this.hub.changed(attempt_id);
    this.hub.changed(eventsKey(attempt_id));
  }
}
