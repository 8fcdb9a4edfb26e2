import type { ExecutionEnd } from '../executions/executions.repository.js';
import type { LogWriter, WriterEvents } from '../executions/log-writer.js';
import { UsageMeter } from '../executors/agent/usage.js';
import type { AgentIo, Outcome } from '../executors/executor.js';
import type { OutputLine, ProcessEnd, ProcessSpec } from '../platform/process/process-types.js';
import type { SupervisedProcess } from '../platform/process/supervised-process.js';
import type { ActiveTurn } from '../turns/active-turns.js';
import type { ExecutionPlan } from './execution-planner.js';
import { cut, type CutShort, StopState } from './stop-state.js';

export interface ProcessContext {
  marker: string;
  env: Readonly<Record<string, string>>;
  /** Milliseconds the process may take; 0 is no limit. */
  timeoutMs: number;
  /** Aborts when the lease is gone. */
  lost: AbortSignal;
  start: (spec: ProcessSpec) => SupervisedProcess;
  /** Asked at the end: the limit that the process ran into, in words, or null. */
  limitHit: () => string | null;
  log: (events: WriterEvents) => LogWriter;
  /** Asks a person on behalf of the agent. */
  decide: AgentIo['decide'];
  onAgentSession: (id: string) => void;
}

/** The one process of an execution: starts it, stores what it says, ends it. Knows nothing of what comes next. */
export class ExecutionProcess implements ActiveTurn {
  private readonly writer: LogWriter;
  private readonly state = new StopState();
  private readonly usage = new UsageMeter();
  private process: SupervisedProcess | null = null;
  private isSessionLost = false;
  private agentSessionId: string | null = null;

  constructor(
    private readonly plan: ExecutionPlan,
    private readonly context: ProcessContext,
  ) {
    this.writer = context.log({
      drain: () => plan.driver.flush(),
      onStop: (force) => this.stop(force),
      onLost: () => this.stop(true),
    });
  }

  /** A gentle stop may be followed by force, not the other way round. What comes after the exit of the process only
   *  hastens its end. */
  stop(force: boolean): void {
    if (this.state.request(force)) void this.process?.stop({ force, cancel: this.cancelTurn() });
  }

  interrupt(): void {
    this.state.interrupted();
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
      const end = this.state.isStopped ? neverStarted : await this.supervise(cwd);
      return await this.conclude(end);
    } finally {
      await this.writer.close();
      lost.removeEventListener('abort', onLost);
    }
  }

  /** The agent no longer knows its conversation: the turn can be begun in a new one. */
  get hasLostSession(): boolean {
    return this.isSessionLost && !this.state.isStopped;
  }

  private async supervise(cwd: string): Promise<ProcessEnd> {
    const { env, marker, start } = this.context;
    const { program, args } = this.plan.command;
    const { conversation } = this.plan.driver;
    const stdin = conversation ? 'pipe' : 'closed';
    const child = start({ program, args, cwd, env, marker, stdin, onLine: (line) => this.take(line) });
    this.process = child;
    void child.exited.then(() => this.state.exited());
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

  private take(line: OutputLine): void | Promise<void> {
    const raw = this.writer.raw(
      line.continues
        ? { type: line.stream, content: line.text, continues: true }
        : { type: line.stream, content: line.text },
    );
    const entries = this.plan.driver.push(line);
    this.isSessionLost ||= entries.some((entry) => entry.error_kind === 'session_lost');
    this.usage.read(entries);
    const normalized = this.writer.normalized(entries);
    this.noticeAgentSession();
    return normalized ?? raw;
  }

  private noticeAgentSession(): void {
    const id = this.plan.driver.agentSessionId;
    if (id === null || id === this.agentSessionId) return;
    this.agentSessionId = id;
    this.context.onAgentSession(id);
  }

  private async conclude(end: ProcessEnd): Promise<ExecutionEnd> {
    const { driver, isAgent } = this.plan;
    const rest = driver.flush();
    this.usage.read(rest);
    await this.writer.normalized(rest);
    const { error, ...outcome }: CutShort = this.state.cutShort ?? this.limited(driver.outcome(end));
    if (error) await this.writer.normalized([error]);
    return {
      ...outcome,
      exit_code: end.exit_code,
      final_message: isAgent ? driver.finalMessage : null,
      usage: this.usage.total,
    };
  }

  /** A process that got by with a limit is not failed for it. */
  private limited(outcome: Outcome): CutShort {
    const reason = outcome.status === 'failed' ? this.context.limitHit() : null;
    return reason === null ? outcome : cut('failed', reason, 'resource_limit');
  }
}

const neverStarted: ProcessEnd = { exit_code: null, signal: null, spawn_error: null };
