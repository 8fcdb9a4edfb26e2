import { AppError } from '../platform/errors/app-error.js';
import type { OutputLine, ProcessEnd } from '../platform/process/process-types.js';
import type { FailureCause } from './agent/failure-cause.js';
import type { AgentState } from './agent-state.js';
import type { NormalizedEntry } from './log-entry.js';

export interface ExecutorInfo {
  /** Stable id, SCREAMING_SNAKE; stored with sessions. */
  executor: string;
  /** Settings to choose from by name; DEFAULT is left out. */
  variants: readonly string[];
  default_variant: string | null;
  supports_mcp: boolean;
  /** What its prompt is: words for an agent, or a script that is executed. */
  takes: Taken;
  /** What a caller has to know before it starts one. */
  note?: string;
}

export const taken = ['prompt', 'script'] as const;
export type Taken = (typeof taken)[number];

export interface Availability {
  is_available: boolean;
  reason: string | null;
  version: string | null;
}

/** One kind of agent. Pure where possible, so that recorded output can test it. */
export interface ExecutorAdapter {
  readonly info: ExecutorInfo;
  /** Host rules of what it needs for its model and its log-in: the preset `model`. */
  readonly modelHosts?: readonly string[];
  availability(): Promise<Availability>;
  /** @throws AppError variant_unknown; never falls back to another variant, which may allow more */
  drive(turn: Turn): Drive;
  /** For agents that keep each conversation in a file that another machine can continue. */
  sessionFile?(agent_session_id: string, cwd: string): SessionFile | null;
}

export interface SessionFile {
  /** One of its state's own. */
  folder: string;
  /** Below the folder; `*` stands for any part of one name. */
  path: string;
  /** Rewrites the content for the place it is moved to, if that matters. */
  moved?(content: string): string;
}

/** One turn: what an adapter turns into a command and the driver of its process. */
export interface Turn {
  prompt: string;
  /** The prompt is the text of the task, not a message to the agent. */
  isTaskText: boolean;
  task: { title: string; description: string | null };
  variant: string | null;
  /** Session of the agent to resume, if known. */
  agent_session_id: string | null;
  /** Paths below it are logged relative to it. */
  cwd: string;
  /** What was said in earlier turns, for an agent that has lost its session. */
  transcript?: string | null;
  /** What an agent has to know before its first prompt. */
  preamble?: string | null;
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
  state?: AgentState;
  /** Arguments that may name files of its installation; from the operator, never from a caller. */
  installed?: readonly string[];
}

/** Follows one process: its output becomes entries. The same lines give the same entries, however they arrive. */
export interface Driver {
  /** One line of output, in order. Never throws. */
  push(line: OutputLine): NormalizedEntry[];
  /** What was held back to join lines; called every moment, in a silence and at the end.
   *  @param goesOn there is output: of a message only whole sentences are given out */
  flush(goesOn?: boolean): NormalizedEntry[];
  /** The answer of the turn so far. */
  readonly finalMessage: string | null;
  readonly agentSessionId: string | null;
  /** The outcome of the turn, from its last event and the end of the process. Stops are handled by the caller. */
  outcome(end: ProcessEnd): Outcome;
  /** Only for agents with a protocol; others get the prompt in the command, and a closed input. */
  readonly conversation?: Conversation;
}

export interface Outcome {
  status: 'completed' | 'failed';
  failure_summary: string | null;
  /** Why it failed, if the agent told; not for scripts. */
  cause?: FailureCause;
  /** Entry to append if the stream did not report the failure. */
  error?: NormalizedEntry;
}

/** The way back to an agent that converses over its standard input and output. */
export interface Conversation {
  /** Called when the process runs: sends greeting and prompt, and answers requests from now on. */
  open(io: AgentIo): void;
  /** Ends the turn by protocol; settles when the agent has confirmed that it ended. */
  cancel(): Promise<void>;
}

/** What a conversation may do to the process it talks to. */
export interface AgentIo {
  /** One JSON message as one line of its standard input. */
  send(message: object): void;
  /** Closes the input, which ends the agent. */
  closeInput(): void;
  /** Asks a person; resolves when answered, timed out or stopped (as a refusal), never because of an outage. */
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

const DEFAULT = 'DEFAULT';

/** Names to choose from: none means DEFAULT. */
export const namedVariants = (variants: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(variants).filter((name) => name !== DEFAULT);

/** The settings of a variant. An unknown name is refused, because the default may allow more.
 *  @throws AppError variant_unknown */
export function variantSettings<Settings>(
  executor: ExecutorInfo['executor'],
  variants: Readonly<Record<string, Settings>>,
  name: string | null,
): Settings {
  const settings = Object.hasOwn(variants, name ?? DEFAULT) ? variants[name ?? DEFAULT] : undefined;
  if (settings === undefined)
    throw new AppError('variant_unknown', { executor, variant: name, known: namedVariants(variants) });
  return settings;
}

/** The end of a process in words, if the agent itself reported nothing. */
export function describeEnd({ exit_code, signal, spawn_error }: ProcessEnd): Outcome {
  if (spawn_error !== null) return failed(`could not start: ${spawn_error}`);
  if (signal !== null) return failed(`ended by ${signal}`);
  return exit_code === 0 ? { status: 'completed', failure_summary: null } : failed(`failed (exit_code=${exit_code})`);
}

const failed = (failure_summary: string): Outcome => ({
  status: 'failed',
  failure_summary,
  error: { type: 'error_message', content: failure_summary, error_kind: 'failed' },
});
