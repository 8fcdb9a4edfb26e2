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

export interface Availability {
  is_available: boolean;
  reason: string | null;
  version: string | null;
}

/** One kind of agent. Pure where it can be, so that recorded output alone tests it. */
export interface ExecutorAdapter {
  readonly info: ExecutorInfo;
  availability(): Promise<Availability>;
  /** @throws AppError variant_unknown: a variant that is gone never falls back to one that may allow more */
  drive(turn: Turn): Drive;
  /** Of an agent that keeps each conversation in a file which another machine can go on with. */
  sessionFile?(agent_session_id: string, cwd: string): SessionFile | null;
}

export interface SessionFile {
  /** Of its state, as in `CommandLine`. */
  folder: string;
  /** Below the folder; `*` stands for any part of one name. */
  path: string;
  /** What it says where it is put, where that is not the same everywhere. */
  moved?(content: string): string;
}

/** One turn: what an adapter turns into a command and the driver of its process. */
export interface Turn {
  prompt: string;
  /** The prompt is the task's own text, not a message somebody wrote for the agent. */
  isTaskText: boolean;
  task: { title: string; description: string | null };
  variant: string | null;
  /** Session of the agent to resume, where one is known. */
  agent_session_id: string | null;
  /** Paths below it are logged relative to it. */
  cwd: string;
  /** What was said in earlier turns, for an agent that has lost its session. */
  transcript?: string | null;
  /** This server's own tools, bound to the attempt. */
  mcp?: McpEndpoint | null;
}

/** An MCP server over Streamable HTTP. */
export interface McpEndpoint {
  name: string;
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** A command to start, and the driver of its process. */
export interface Drive {
  command: CommandLine;
  driver: Driver;
}

export interface CommandLine {
  program: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Folders where the agent keeps log-in and conversations, below the home folder or absolute; they end in `/`. */
  state?: readonly string[];
  /** Those of its arguments that may name files it is installed with: the operator's, never the text of a caller. */
  installed?: readonly string[];
}

/** Follows one process: its output becomes entries. The same lines give the same entries, however they arrive. */
export interface Driver {
  /** One line of output, in order. Never throws. */
  push(line: OutputLine): NormalizedEntry[];
  /** What was held back to join lines; called when output pauses and at the end. */
  flush(): NormalizedEntry[];
  /** The answer of the turn so far. */
  readonly finalMessage: string | null;
  readonly agentSessionId: string | null;
  /** Decides the end of the turn from its last event and the end of the process. A stop is decided by the caller. */
  outcome(end: ProcessEnd): Outcome;
  /** Only of agents that are talked to; the others get their prompt by the command, and a closed input. */
  readonly conversation?: Conversation;
}

export interface Outcome {
  status: 'completed' | 'failed';
  failure_summary: string | null;
  /** Entry to append where the stream itself did not report the failure. */
  error?: NormalizedEntry;
}

/** The way back to an agent that converses over its standard input and output. */
export interface Conversation {
  /** The process runs: greet it and send the prompt. What its output asks for is answered from now on. */
  open(io: AgentIo): void;
  /** Ends the turn by protocol; settles when the agent has confirmed that it ended. */
  cancel(): Promise<void>;
}

/** What a conversation may do to the process it talks to. */
export interface AgentIo {
  /** One JSON message as one line of its standard input. */
  send(message: object): void;
  /** The last word: agents end when their input is closed. */
  closeInput(): void;
  /** Asks a person; settles when answered, timed out or stopped (then a refusal), never by an outage. */
  decide(request: PermissionRequest): Promise<PermissionDecision>;
}

/** A permission an agent asks for. */
export interface PermissionRequest {
  tool_call: string | null;
  tool_name: string;
  /** What it wants to do, in a line. */
  summary: string;
  input: Record<string, unknown>;
}
export type PermissionDecision = { allow: true } | { allow: false; reason: string };

export const EXECUTOR_ADAPTERS = Symbol('ExecutorAdapters');
