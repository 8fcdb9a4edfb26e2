import { Injectable } from '@nestjs/common';
import { ChangeHub } from '../platform/database/change-hub.js';
import type { EventEntry } from '../executors/log-entry.js';
import type { Execution } from './execution.entity.js';
import { LogRepository } from './log.repository.js';

/** The channel `events`: written in the transaction of what happened, then everyone who waits is woken. */
@Injectable()
export class AttemptEvents {
  constructor(
    private readonly logs: LogRepository,
    private readonly hub: ChangeHub,
  ) {}

  /** A run was queued, started or ended. */
  state(
    execution: Pick<Execution, 'id' | 'attempt_id' | 'run_reason' | 'status'> & { failure_summary?: string | null },
  ): Promise<void> {
    const { run_reason, status, failure_summary } = execution;
    return this.add(execution.attempt_id, execution.id, {
      type: 'state',
      content: `${run_reason} ${status}`,
      metadata: { run_reason, status, ...(failure_summary ? { failure_summary } : {}) },
    });
  }

  stopRequested(execution: Execution, force: boolean): Promise<void> {
    return this.add(execution.attempt_id, execution.id, {
      type: 'stop_requested',
      content: force ? 'stop requested (force)' : 'stop requested',
      metadata: { force },
    });
  }

  messageQueued(attempt_id: string): Promise<void> {
    return this.add(attempt_id, null, { type: 'message_queued', content: 'a message is queued behind the run' });
  }

  /** Without its text: who may read events need not be who wrote the message. */
  messageDropped(attempt_id: string, reason: string): Promise<void> {
    return this.add(attempt_id, null, {
      type: 'message_dropped',
      content: `the queued message was dropped: ${reason}`,
      metadata: { reason },
    });
  }

  approvalAsked({
    id,
    attempt_id,
    execution_id,
    tool_name,
  }: {
    id: string;
    attempt_id: string;
    execution_id: string;
    tool_name: string;
  }): Promise<void> {
    return this.add(attempt_id, execution_id, {
      type: 'approval_asked',
      content: `the agent requests approval for ${tool_name}`,
      metadata: { approval_id: id, tool_name },
    });
  }

  approvalSettled(
    { id, attempt_id, execution_id }: { id: string; attempt_id: string; execution_id: string },
    status: string,
  ): Promise<void> {
    return this.add(attempt_id, execution_id, {
      type: 'approval_settled',
      content: `the approval request was ${status}`,
      metadata: { approval_id: id, status },
    });
  }

  /** @param commits by the name of the repository */
  committed({ id, attempt_id }: Pick<Execution, 'id' | 'attempt_id'>, commits: Record<string, string>): Promise<void> {
    return this.add(attempt_id, id, {
      type: 'committed',
      content: 'the changes of the turn were committed',
      metadata: { commits },
    });
  }

  commitFailed({ id, attempt_id }: Pick<Execution, 'id' | 'attempt_id'>): Promise<void> {
    return this.add(attempt_id, id, {
      type: 'commit_failed',
      content: 'the changes of the turn could not be committed; they remain in the worktree',
    });
  }

  private async add(attempt_id: string, execution_id: string | null, entry: EventEntry): Promise<void> {
    await this.logs.appendEvent(attempt_id, execution_id, entry);
    this.hub.changed(attempt_id);
  }
}
