import type { Attempt } from '../attempts/attempt.entity.js';
import type { Environment } from '../config/environment.js';
import type { Execution } from '../executions/execution.entity.js';
import type { ExecutionEnd } from '../executions/executions.repository.js';
import { LogWriter } from '../executions/log-writer.js';
import type { LogRepository } from '../executions/log.repository.js';
import type { ChangeHub } from '../platform/database/change-hub.js';
import type { NormalizedEntry } from '../executors/log-entry.js';
import type { AgentIo, PermissionDecision, PermissionRequest } from '../executors/executor.js';
import type { OutputLine, ProcessEnd } from '../platform/process/process-types.js';
import type { ProcessPool } from '../platform/process/process-pool.js';
import type { SupervisedProcess } from '../platform/process/supervised-process.js';
import type { ActiveRun } from './active-runs.js';
import { runEnvironment } from './run-environment.js';
import type { StepPlan } from './step-plan.js';

export interface StepContext {
  environment: Environment;
  logs: LogRepository;
  hub: ChangeHub;
  pool: ProcessPool;
  attempt: Attempt;
  execution: Execution;
  /** Aborts when the lease is gone. */
  lost: AbortSignal;
  /** Asks a person on behalf of the agent. */
  decide: (request: PermissionRequest) => Promise<PermissionDecision>;
  /** Milliseconds the run may take; 0 is no limit. */
  timeoutMs: number;
}

/** One process of one run: starts it, stores what it says, ends it. Knows nothing of what comes next. */
export class RunStep implements ActiveRun {
  private readonly writer: LogWriter;
  private process: SupervisedProcess | null = null;
  private stopWish: 'none' | 'gentle' | 'force' = 'none';
  private isInterrupted = false;
  private hasExited = false;
  private isTimedOut = false;
  private isSessionLost = false;
  private agentSessionId: string | null = null;

  constructor(
    private readonly context: StepContext,
    private readonly plan: StepPlan,
    private readonly onAgentSession: (id: string) => void,
  ) {
    const { execution, attempt, logs, hub, environment } = context;
    this.writer = new LogWriter(
      { attempt_id: attempt.id, execution_id: execution.id, job_id: execution.job_id! },
      logs,
      hub,
      environment.RUN_LOG_MAX_BYTES,
      {
        drain: () => plan.driver.flush(),
        onStop: (force) => this.stop(force),
        onLost: () => this.stop(true),
      },
    );
  }

  /** A gentle stop may be followed by force, not the other way round. What comes after the exit of the process only hastens its end. */
  stop(force: boolean): void {
    if (this.stopWish === 'force' || (this.stopWish === 'gentle' && !force)) return;
    if (!this.hasExited) this.stopWish = force ? 'force' : 'gentle';
    void this.process?.stop({ force, cancel: this.cancelTurn() });
  }

  interrupt(): void {
    this.isInterrupted = this.stopWish === 'none' && !this.hasExited;
    this.stop(false);
  }

  /** Runs to the end, with its output stored. Without lease nothing more is written. */
  async run(cwd: string): Promise<ExecutionEnd> {
    const { lost } = this.context;
    const onLost = () => {
      this.writer.abandon();
      this.stop(true);
    };
    lost.addEventListener('abort', onLost, { once: true });
    if (lost.aborted) onLost();
    try {
      void this.writer.normalized([this.plan.opening]);
      const end = this.stopWish === 'none' ? await this.supervise(cwd) : neverStarted;
      return await this.conclude(end);
    } finally {
      await this.writer.close();
      lost.removeEventListener('abort', onLost);
    }
  }

  private async supervise(cwd: string): Promise<ProcessEnd> {
    const { environment, attempt, execution, pool } = this.context;
    const { program, args, env } = this.plan.command;
    const { conversation } = this.plan.driver;
    const child = pool.start({
      program,
      args,
      cwd,
      env: runEnvironment(environment, attempt, env),
      marker: execution.id,
      stdin: conversation ? 'pipe' : 'closed',
      onLine: (line) => this.take(line),
    });
    this.process = child;
    void child.exited.then(() => {
      this.hasExited = true;
    });
    conversation?.open(this.ioOf(child));
    const timer = this.limitTime();
    return child.ended.finally(() => clearTimeout(timer));
  }

  private ioOf(child: SupervisedProcess): AgentIo {
    return {
      send: (message) => void child.write(`${JSON.stringify(message)}\n`),
      closeInput: () => child.closeStdin(),
      decide: this.context.decide,
    };
  }

  private limitTime(): NodeJS.Timeout | undefined {
    if (this.context.timeoutMs === 0) return undefined;
    return setTimeout(() => {
      this.isTimedOut = this.stopWish === 'none' && !this.hasExited;
      this.stop(false);
    }, this.context.timeoutMs);
  }

  private cancelTurn(): (() => Promise<void>) | undefined {
    const { conversation } = this.plan.driver;
    return conversation && (() => conversation.cancel());
  }

  private take(line: OutputLine): void | Promise<void> {
    const raw = this.writer.raw(
      line.continues
        ? { type: line.stream, content: line.text, continues: true }
        : { type: line.stream, content: line.text },
    );
    const entries = this.plan.driver.push(line);
    this.isSessionLost ||= entries.some((entry) => entry.error_kind === 'session_lost');
    const normalized = this.writer.normalized(entries);
    this.noticeAgentSession();
    return normalized ?? raw;
  }

  private noticeAgentSession(): void {
    const id = this.plan.driver.agentSessionId;
    if (id === null || id === this.agentSessionId) return;
    this.agentSessionId = id;
    this.onAgentSession(id);
  }

  private async conclude(end: ProcessEnd): Promise<ExecutionEnd> {
    const { driver, isTurn } = this.plan;
    await this.writer.normalized(driver.flush());
    const { error, ...outcome } = this.cutShort() ?? driver.outcome(end);
    if (error) await this.writer.normalized([error]);
    return { ...outcome, exit_code: end.exit_code, final_message: isTurn ? driver.finalMessage : null };
  }

  /** Asked to stop, a process may well exit with 0: what was asked counts, not what it says. */
  private cutShort(): CutShort | null {
    if (this.isInterrupted) return cut('failed', LOST_AT_SHUTDOWN, 'stopped');
    if (this.isTimedOut) return cut('failed', `timed out after ${this.context.timeoutMs / 1_000} s`, 'timeout');
    return this.stopWish === 'none' ? null : cut('killed', 'killed', 'stopped');
  }

  /** The agent no longer knows its conversation: the turn can be told to a new one. */
  get hasLostSession(): boolean {
    return this.isSessionLost && this.stopWish === 'none';
  }
}

type CutShort = Pick<ExecutionEnd, 'status' | 'failure_summary'> & { error?: NormalizedEntry };
const cut = (status: 'failed' | 'killed', failure_summary: string, error_kind: string): CutShort => ({
  status,
  failure_summary,
  error: { type: 'error_message', content: failure_summary, error_kind },
});

export const LOST_AT_SHUTDOWN = 'runner lost: the server was shut down';
const neverStarted: ProcessEnd = { exit_code: null, signal: null, spawn_error: null };
