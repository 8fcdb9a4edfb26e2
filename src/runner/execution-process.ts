import type { ExecutionEnd } from '../executions/executions.repository.js';
import type { LogWriter, WriterEvents } from '../executions/log-writer.js';
import { UsageMeter } from '../executors/agent/usage.js';
import type { AgentIo, Outcome } from '../executors/executor.js';
import type { NormalizedEntry } from '../executors/log-entry.js';
import type { OutputLine, ProcessEnd, ProcessSpec } from '../platform/process/process-types.js';
import type { SupervisedProcess } from '../platform/process/supervised-process.js';
import type { Scrubber } from '../secrets/scrubber.js';
import type { ActiveTurn } from '../turns/active-turns.js';
import { type Ending, lostBecause, type LostReason } from '../turns/turn-endings.js';
import type { ExecutionPlan } from './execution-planner.js';
import { ScrubbedOutput } from './scrubbed-output.js';

export const LOST_AT_SHUTDOWN = lostBecause('the server was shut down');

export interface ProcessContext {
  marker: string;
  env: Readonly<Record<string, string>>;
  /** Milliseconds the process may take; 0 is no limit. */
  timeoutMs: number;
  /** Aborts when the lease is gone. */
  lost: AbortSignal;
  start: (spec: ProcessSpec) => SupervisedProcess;
  /** Whether what ran here was killed since then, by `performance.now()`, for the lease was not renewed in time. */
  wasOver: (since: number) => boolean;
  /** Called at the end: the limit that the process hit, in words, or null. */
  limitHit: () => string | null;
  log: (events: WriterEvents) => LogWriter;
  /** Asks a person on behalf of the agent. */
  decide: AgentIo['decide'];
  onAgentSession: (id: string) => void;
}

/** How a process ended, and how that ends its execution. */
export interface EndedProcess {
  end: ExecutionEnd;
  ending: Ending;
  /** Kind of the failure, as its log names it; null where there is none. */
  cause: string | null;
}

/** The process of an execution: starts it, stores its output, ends it. */
export class ExecutionProcess implements ActiveTurn {
  private readonly writer: LogWriter;
  private readonly state = new StopState();
  private readonly usage = new UsageMeter();
  private process: SupervisedProcess | null = null;
  private isSessionLost = false;
  private agentSessionId: string | null = null;
  private readonly scrubber: Scrubber;
  private readonly output: ScrubbedOutput;

  constructor(
    private readonly plan: ExecutionPlan,
    private readonly context: ProcessContext,
  ) {
    this.scrubber = plan.secrets.scrubber;
    this.output = new ScrubbedOutput(this.scrubber);
    this.writer = context.log({
      drain: (goesOn) => this.output.entries(plan.driver.flush(goesOn), true),
      onStop: (force) => this.stop(force),
      onLost: () => this.stop(true),
    });
  }

  /** A gentle stop may be followed by a forced one, not the other way round. After the exit of the process it only
   *  speeds up the end. */
  stop(force: boolean): void {
    if (this.state.request(force)) void this.process?.stop({ force, cancel: this.cancelTurn() });
  }

  interrupt(): void {
    this.state.interrupted('the server was shut down');
    this.stop(false);
  }

  /** Killed for a limit that nobody but a watch keeps. */
  exceed(): void {
    this.state.exceeded(this.context.limitHit() ?? 'too much');
    this.stop(true);
  }

  /** Runs to the end and stores the output. Without the lease nothing more is written. */
  async run(cwd: string): Promise<EndedProcess> {
    const { lost } = this.context;
    const onLost = () => {
      this.writer.abandon();
      this.stop(true);
    };
    lost.addEventListener('abort', onLost, { once: true });
    if (lost.aborted) onLost();
    try {
      this.writer.normalized([this.plan.opening]);
      const end = this.state.isStopped ? neverStarted : await this.supervise(cwd);
      return this.conclude(end);
    } finally {
      await this.writer.close();
      lost.removeEventListener('abort', onLost);
    }
  }

  /** The agent has lost its conversation; the turn can begin a new one. */
  get hasLostSession(): boolean {
    return this.isSessionLost && !this.state.isStopped;
  }

  private async supervise(cwd: string): Promise<ProcessEnd> {
    const { env, marker, start } = this.context;
    const { program, args } = this.plan.command;
    const { conversation } = this.plan.driver;
    const stdin = conversation ? 'pipe' : 'closed';
    const onLine = (line: OutputLine) => this.take(line);
    const untilRoom = () => this.writer.untilRoom();
    const startedAt = performance.now();
    const child = start({ program, args, cwd, env, marker, stdin, onLine, untilRoom });
    this.process = child;
    void child.exited.then(({ signal, isLost }) => {
      if (isLost) this.state.interrupted('the launcher in the container of its runs ended');
      if (signal === 'SIGKILL' && this.context.wasOver(startedAt)) this.state.interrupted('it went silent');
      this.state.exited();
    });
    conversation?.open(this.ioOf(child));
    const timer = this.limitTime();
    return child.ended.finally(() => clearTimeout(timer));
  }

  private ioOf(child: SupervisedProcess): AgentIo {
    return {
      send: (message) => void child.write(`${JSON.stringify(message)}\n`),
      closeInput: () => child.closeStdin(),
      decide: (request) => this.context.decide(this.scrubber.record(request)),
    };
  }

  private limitTime(): NodeJS.Timeout | undefined {
    const { timeoutMs } = this.context;
    if (timeoutMs === 0) return undefined;
    return setTimeout(() => {
      this.state.timedOut(timeoutMs);
      this.stop(false);
    }, timeoutMs);
  }

  private cancelTurn(): (() => Promise<void>) | undefined {
    const { conversation } = this.plan.driver;
    return conversation && (() => conversation.cancel());
  }

  private take(line: OutputLine): void {
    this.writer.raw(this.output.raw(line));
    const entries = this.plan.driver.push(line);
    this.isSessionLost ||= entries.some((entry) => entry.error_kind === 'session_lost');
    this.usage.read(entries);
    this.writer.normalized(this.output.entries(entries));
    this.noticeAgentSession();
  }

  private noticeAgentSession(): void {
    const id = this.plan.driver.agentSessionId;
    if (id === null || id === this.agentSessionId) return;
    this.agentSessionId = id;
    this.context.onAgentSession(id);
  }

  private conclude(end: ProcessEnd): EndedProcess {
    const { driver, isAgent } = this.plan;
    const rest = driver.flush();
    this.usage.read(rest);
    this.writer.normalized([...this.output.entries(rest), ...this.output.rest()]);
    const cutShort: CutShort = this.state.cutShort ?? this.limited(driver.outcome(end));
    const { error, ending, ...outcome } = this.scrubber.record(cutShort);
    if (error) this.writer.normalized([error]);
    const final_message = isAgent ? this.scrubber.record(driver.finalMessage) : null;
    return {
      end: { ...outcome, exit_code: end.exit_code, final_message, usage: this.usage.total },
      ending: ending ?? outcome.status,
      cause: error?.error_kind ?? null,
    };
  }

  /** A process that succeeded despite a limit is not failed. */
  private limited(outcome: Outcome): CutShort {
    const reason = outcome.status === 'failed' ? this.context.limitHit() : null;
    return reason === null ? outcome : cut('failed', reason, 'resource_limit');
  }
}

const neverStarted: ProcessEnd = { exit_code: null, signal: null, spawn_error: null };

type CutShort = Pick<ExecutionEnd, 'status' | 'failure_summary' | 'cause'> & {
  error?: NormalizedEntry;
  /** If it differs from the status. */
  ending?: Ending;
};

/** What was asked of a process before it exited, which decides its outcome: a stopped process may well exit with 0. */
export class StopState {
  private requested: 'none' | 'gentle' | 'force' = 'none';
  private hasExited = false;
  private cause: CutShort | null = null;

  get isStopped(): boolean {
    return this.requested !== 'none';
  }

  /** How it was ended from outside; null where it ended by itself. */
  get cutShort(): CutShort | null {
    return this.cause ?? (this.isStopped ? cut('killed', 'killed', 'stopped') : null);
  }

  /** @returns whether the process is to be stopped, or stopped harder, now */
  request(force: boolean): boolean {
    if (this.requested === 'force' || (this.requested === 'gentle' && !force)) return false;
    if (!this.hasExited) this.requested = force ? 'force' : 'gentle';
    return true;
  }

  exited(): void {
    this.hasExited = true;
  }

  /** Of one that went silent the lease may be renewed all the same, so that nobody else ends the turn. */
  interrupted(reason: LostReason): void {
    this.endFor({ ...cut('failed', lostBecause(reason), 'stopped'), ending: 'interrupted' });
  }

  exceeded(reason: string): void {
    this.endFor(cut('failed', reason, 'resource_limit'));
  }

  timedOut(timeoutMs: number): void {
    this.endFor(cut('failed', `timed out after ${timeoutMs / 1_000} s`, 'timeout'));
  }

  /** Only the first cause counts, and none after the exit or a stop. */
  private endFor(cause: CutShort): void {
    if (!this.isStopped && !this.hasExited) this.cause = cause;
  }
}

const cut = (status: 'failed' | 'killed', failure_summary: string, error_kind: string): CutShort => ({
  status,
  failure_summary,
  error: { type: 'error_message', content: failure_summary, error_kind },
});
