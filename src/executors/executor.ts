import type { OutputLine, ProcessEnd } from '../platform/process/process-types.js';
import type { NormalizedEntry } from './log-entry.js';

export interface ExecutorInfo {
  /** Stable id, SCREAMING_SNAKE; stored with sessions. */
  executor: string;
  /** Settings to choose from by name; DEFAULT is left out. */
  variants: readonly string[];
  default_variant: string | null;
  supports_mcp: boolean;
}

export interface Availability { is_available: boolean; reason: string | null; version: string | null }

/** One turn: what an adapter turns into a command line. */
export interface Turn {
  prompt: string;
  /** The prompt is the task's own text, not a message somebody wrote for the agent. */
  isTaskText: boolean;
  task: { title: string; description: string | null };
  variant: string | null;
  /** Session of the agent to resume, where one is known. */
  agent_session_id: string | null;
}

export interface CommandLine { program: string; args: readonly string[]; env: Readonly<Record<string, string>> }

export interface Outcome { status: 'completed' | 'failed'; failure_summary: string | null }

/** Turns the output of one turn into entries. Pure: the same lines give the same entries, however they arrive. */
export interface Normalizer {
  push(line: OutputLine): NormalizedEntry[];
  /** What was held back to join lines; called when output pauses and at the end. */
  flush(): NormalizedEntry[];
  /** The answer of the turn so far, or null. */
  finalMessage(): string | null;
  agentSessionId(): string | null;
  /** Decides the end of the turn from its last event and the end of the process. A stop is decided by the caller. */
  outcome(end: ProcessEnd): Outcome;
}

/** One kind of agent. Pure where it can be, so that recorded output alone tests it. */
export interface ExecutorAdapter {
  readonly info: ExecutorInfo;
  availability(): Promise<Availability>;
  command(turn: Turn): CommandLine;
  normalizer(turn: Turn): Normalizer;
}

export const EXECUTOR_ADAPTERS = Symbol('ExecutorAdapters');
