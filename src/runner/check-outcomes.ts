import { Injectable } from '@nestjs/common';
import { CheckBaselinesRepository } from '../checks/check-baselines.repository.js';
import { CheckRunsRepository } from '../checks/check-runs.repository.js';
import type { CheckDefinition, CheckResult } from '../checks/check.entity.js';
import type { Transaction } from '../platform/database/database.js';
import type { EndedProcess } from './execution-process.js';

/** What a process said of the work. */
interface Verdict {
  state: 'passed' | 'failed' | 'errored';
  reason: string | null;
}

export interface Measured {
  tail: string;
  duration_ms: number;
}

/** Stores what a check has said, in the transaction that ends its execution. */
@Injectable()
export class CheckOutcomes {
  constructor(
    private readonly runRows: CheckRunsRepository,
    private readonly baselineRows: CheckBaselinesRepository,
  ) {}

  /** One that was stopped, or whose runner goes, says nothing. */
  async keep(tx: Transaction, step: CheckResult, ended: EndedProcess, measured: Measured): Promise<void> {
    if (ended.ending !== 'completed' && ended.ending !== 'failed') return;
    const verdict = verdictOf(ended, step.definition);
    if (step.state === 'failed') return this.keepBaseline(tx, step, verdict);
    const { exit_code } = ended.end;
    const isRepeated = verdict.state === 'failed' && step.definition.rerun_on_failure && step.tries === 0;
    const tries = step.tries + Number(verdict.state === 'failed');
    await this.runRows.settle(tx, step, {
      ...{ exit_code, tries, ...measured, ...verdict },
      ...(isRepeated ? { state: 'pending' } : {}),
      ...(verdict.state === 'failed' && !isRepeated ? { failed_before: await this.knownBefore(step) } : {}),
      ...(verdict.state === 'passed' && step.tries > 0
        ? { reason: 'it failed first, and passed when tried again' }
        : {}),
    });
  }

  private async keepBaseline(tx: Transaction, step: CheckResult, { state }: Verdict): Promise<void> {
    if (state === 'errored') return;
    await this.baselineRows.store(tx, step, state);
    await this.runRows.update(tx, step, { failed_before: state === 'failed' });
  }

  private async knownBefore(step: CheckResult): Promise<boolean | null> {
    if (step.base === null) return null;
    if (step.base === step.head) return true;
    const known = await this.baselineRows.find(step);
    return known && known === 'failed';
  }
}

/** What the work does is its verdict; what keeps the check from seeing it is none. */
function verdictOf({ end, ending, cause }: EndedProcess, { timeout_secs }: CheckDefinition): Verdict {
  if (ending === 'completed') return { state: 'passed', reason: null };
  const reason = byCause(cause, timeout_secs) ?? byEnd(end);
  return reason === null ? { state: 'failed', reason: null } : { state: 'errored', reason };
}

function byCause(cause: string | null, timeout_secs: number): string | null {
  if (cause === 'timeout')
    return `it took longer than ${timeout_secs} s: make it faster, or have a maintainer raise its timeout_secs`;
  return cause === 'resource_limit' ? 'it ran into a limit of runs, which its log names: have it use less' : null;
}

/** Walls hand a signal on as an exit code. */
const EXITS: Readonly<Record<number, string>> = {
  126: 'its command, or one that it calls, cannot be executed (exit code 126): make it executable, or correct it',
  127: 'its command, or one that it calls, was not found (exit code 127): install it in the command, or correct it',
  137: 'it was killed (SIGKILL), as for want of memory: have it use less, then run the checks again',
};

function byEnd({ exit_code, failure_summary }: EndedProcess['end']): string | null {
  if (failure_summary === 'ended by SIGKILL') return EXITS[137]!;
  if (exit_code !== null) return EXITS[exit_code] ?? null;
  return failure_summary?.startsWith('ended by ') ? null : failure_summary;
}
