import { Injectable } from '@nestjs/common';
import { AttemptsRepository } from '../attempts/attempts.repository.js';
import { endHint } from '../executors/agent/failure.js';
import { reportedUsage } from '../executors/usage.dto.js';
import type { Principal } from '../platform/access/principal.js';
import type { TextTimes } from '../platform/database/text-times.js';
import { pageLimit } from '../platform/fields/paging.js';
import type { ExecutionOutput, ListExecutionsInput, ListExecutionsOutput } from './execution.dto.js';
import { ExecutionsRepository, type ListedExecution } from './executions.repository.js';
import { LogReader } from './log-reader.js';
import { LogRepository } from './log.repository.js';

const ENTRIES_A_READ = 1_000;

@Injectable()
export class ExecutionsService {
  constructor(
    private readonly attemptRows: AttemptsRepository,
    private readonly executionRows: ExecutionsRepository,
    private readonly logRows: LogRepository,
    private readonly reader: LogReader,
  ) {}

  /** @throws AppError attempt_not_found, not_a_member */
  async list({ attempt_id, limit, cursor }: ListExecutionsInput, principal: Principal): Promise<ListExecutionsOutput> {
    await this.attemptRows.get(principal, attempt_id);
    const { rows, ...page } = await this.executionRows.listOfAttempt(attempt_id, pageLimit(limit), cursor);
    return { attempt_id, ...page, executions: rows.map(toOutput) };
  }

  /** Its output so far, in pieces. @throws AppError execution_not_found, not_a_member */
  async text(execution_id: string, principal: Principal): Promise<AsyncGenerator<string>> {
    const { attempt_id } = await this.executionRows.get(principal, execution_id);
    const first = await this.logRows.findFirstIndex(attempt_id, execution_id, 'raw');
    const last = await this.logRows.findLastIndex({ attempt_id, execution_id }, 'raw');
    return this.linesOf(attempt_id, execution_id, first, last);
  }

  private async *linesOf(
    attempt_id: string,
    execution_id: string,
    first: number,
    last: number,
  ): AsyncGenerator<string> {
    let previous: string | null = null;
    for (let after = first - 1; after < last;) {
      const { entries } = await this.reader.after({ attempt_id, channel: 'raw', limit: ENTRIES_A_READ, after });
      if (entries.length === 0) break;
      after = entries.at(-1)!.entry_index;
      let text = '';
      for (const { execution_process_id, entry_index, entry } of entries) {
        if (execution_process_id !== execution_id || entry_index > last) continue;
        const goesOn = previous === null || (entry.continues && entry.type === previous);
        text += goesOn ? entry.content : `\n${entry.content}`;
        previous = entry.type;
      }
      yield text;
    }
    if (previous !== null) yield '\n';
  }
}

const toOutput = (row: TextTimes<ListedExecution>): ExecutionOutput => ({
  execution_process_id: row.id,
  attempt_id: row.attempt_id,
  session_id: row.session_id,
  executor: row.executor,
  variant: row.variant,
  run_reason: row.run_reason,
  status: row.status,
  exit_code: row.exit_code,
  duration_ms: row.duration_ms,
  created_at: row.created_at,
  started_at: row.started_at,
  ended_at: row.completed_at,
  failure_summary: row.failure_summary,
  hint: endHint(row),
  usage: reportedUsage(row),
});
