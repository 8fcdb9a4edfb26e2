import type { OutputLine, ProcessEnd } from '../../platform/process/process-types.js';
import { type Conversation, describeEnd, type Driver, type Outcome } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';
import { bounded, cutText, localized } from './entry-text.js';
import { errorEntry, failureKind, failureSummary, type ErrorKind, type Failure } from './failure.js';
import { type FailureCause, failureCause } from './failure-cause.js';
import { HeldErrors } from './held-errors.js';
import { parseObject, type Json } from './json.js';
import { LineJoiner } from './line-joiner.js';

/** How the agent itself says the turn ended. No kind: it was interrupted. */
export type TurnResult =
  { status: 'completed' } | { status: 'failed'; kind: ErrorKind | null; summary: string; cause: FailureCause };

/** @param said all that tells why, where that is more than the message */
export const failedTurn = ({ kind, message }: Failure, said = message): TurnResult => ({
  status: 'failed',
  kind,
  summary: failureSummary(kind, message),
  cause: failureCause(kind, said),
});

export const interruptedTurn: TurnResult = {
  status: 'failed',
  kind: null,
  summary: 'interrupted',
  cause: failureCause(null, ''),
};

/** Turns what an agent says in one turn, in its own protocol, into entries. */
export interface StreamReader {
  read(message: Json): NormalizedEntry[];
  flush(goesOn?: boolean): NormalizedEntry[];
  readonly finalMessage: string | null;
  /** Null until the agent has said how the turn ended. */
  readonly result: TurnResult | null;
}

/** One turn in one protocol: turns each message into entries, and answers what the agent asks. */
export interface AgentConversation extends Conversation {
  readonly reader: StreamReader;
  readonly agentSessionId: string | null;
  /** Takes a message as it arrived; its reader gets it with paths relative to the working directory. */
  hear(message: Json): NormalizedEntry[];
}

const MAX_RAW_CHARS = 2_048;

/** Drives an agent that speaks one JSON object a line; everything else it prints is kept too. */
export class AgentDriver implements Driver {
  private readonly output = new LineJoiner();
  private readonly errors = new LineJoiner();
  private readonly heldErrors = new HeldErrors();

  constructor(
    readonly conversation: AgentConversation,
    private readonly cwd: string,
  ) {}

  push(line: OutputLine): NormalizedEntry[] {
    return (line.stream === 'stdout' ? this.hearOutput(line) : this.hearError(line)).map(bounded);
  }

  flush(goesOn?: boolean): NormalizedEntry[] {
    return [...this.heldErrors.flush(), ...this.conversation.reader.flush(goesOn)].map(bounded);
  }

  get finalMessage(): string | null {
    return this.conversation.reader.finalMessage;
  }

  get agentSessionId(): string | null {
    return this.conversation.agentSessionId;
  }

  outcome(end: ProcessEnd): Outcome {
    const { result } = this.conversation.reader;
    if (result === null || end.spawn_error !== null) return this.crash(end);
    return result.status === 'completed'
      ? { status: 'completed', failure_summary: null }
      : { status: 'failed', failure_summary: result.summary, cause: result.cause };
  }

  private hearOutput(line: OutputLine): NormalizedEntry[] {
    const text = this.output.push(line);
    if (text === null || text.trim() === '') return [];
    const message = parseObject(text);
    const entries =
      message === null
        ? [...this.conversation.reader.flush(), notJson(localized(text, this.cwd))]
        : this.conversation.hear(message);
    return entries.length === 0 ? [] : [...this.heldErrors.flush(), ...entries];
  }

  private hearError(line: OutputLine): NormalizedEntry[] {
    const text = this.errors.push(line);
    return text === null ? [] : this.heldErrors.add(localized(text, this.cwd));
  }

  /** The process ended without saying how the turn ended: then even exit code 0 is no success. */
  private crash(end: ProcessEnd): Outcome {
    const said = this.heldErrors.lastLines;
    const kind = failureKind(said, null, 'crashed');
    const how = describeEnd(end).failure_summary ?? 'ended without finishing its turn';
    const message = said === '' ? how : `${how}: ${said}`;
    return {
      status: 'failed',
      failure_summary: failureSummary(kind, message),
      cause: failureCause(kind, message),
      error: bounded(errorEntry(kind, message)),
    };
  }
}

/** An event this version does not know: kept, out of the way. */
export const unknownEvent = (message: Json): NormalizedEntry => ({
  type: 'system_message',
  content: cutText(JSON.stringify(message), MAX_RAW_CHARS),
  metadata: { kind: 'unknown_event', priority: 'low' },
});

const notJson = (text: string): NormalizedEntry => ({
  type: 'system_message',
  content: cutText(text),
  metadata: { kind: 'not_json' },
});
