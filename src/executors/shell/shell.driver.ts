import { lastLines } from '../../platform/fields/formats.js';
import type { OutputLine, ProcessEnd } from '../../platform/process/process-types.js';
import { failureCause } from '../agent/failure-cause.js';
import { describeEnd, type Driver, type Outcome } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';

const MAX_ENTRY_CHARS = 4_096;
const MAX_ENTRY_LINES = 100;
const FINAL_MESSAGE_BYTES = 4_096;
/** In which a failure is told. */
const WORDS_BYTES = 2_048;

/** Joins adjacent lines of one stream into entries: standard output as the assistant, standard error as the system. */
export class ShellDriver implements Driver {
  readonly agentSessionId = null;
  private held = '';
  private heldLines = 0;
  private heldStream: OutputLine['stream'] = 'stdout';
  private goesOn = false;
  private isPart = false;
  /** Streams whose last line has not ended. */
  private readonly open = { stdout: false, stderr: false };
  private tail = '';
  private errors = '';

  /** @param isAgent its words tell why it failed, those of a script do not */
  constructor(private readonly isAgent = false) {}

  push(line: OutputLine): NormalizedEntry[] {
    const isComplete =
      line.stream !== this.heldStream || this.heldLines >= MAX_ENTRY_LINES || this.held.length >= MAX_ENTRY_CHARS;
    const done = isComplete ? this.flush() : [];
    if (this.heldLines === 0) this.isPart = this.open[line.stream];
    else if (!this.goesOn) this.held += '\n';
    this.held += line.text;
    this.heldLines += 1;
    this.heldStream = line.stream;
    this.goesOn = this.open[line.stream] = line.continues;
    if (line.stream === 'stdout') this.tail = longer(this.tail, line);
    else if (this.isAgent) this.errors = longer(this.errors, line);
    return done;
  }

  flush(): NormalizedEntry[] {
    if (this.heldLines === 0) return [];
    const entry = { content: this.held, ...(this.isPart ? { continues: true as const } : {}) };
    this.held = '';
    this.heldLines = 0;
    return [
      this.heldStream === 'stdout'
        ? { type: 'assistant_message', ...entry }
        : { type: 'system_message', ...entry, metadata: { stream: 'stderr' } },
    ];
  }

  get finalMessage(): string | null {
    return lastLines(this.tail, FINAL_MESSAGE_BYTES).trim() || null;
  }

  outcome(end: ProcessEnd): Outcome {
    const outcome = describeEnd(end);
    if (!this.isAgent || outcome.status === 'completed') return outcome;
    return { ...outcome, cause: failureCause('crashed', lastLines(`${this.tail}\n${this.errors}`, WORDS_BYTES)) };
  }
}

/** Keeps the last of a stream, cut rarely so that a flood costs little. */
function longer(tail: string, line: OutputLine): string {
  const all = tail + (line.continues ? line.text : `${line.text}\n`);
  return all.length > 16 * FINAL_MESSAGE_BYTES ? all.slice(-2 * FINAL_MESSAGE_BYTES) : all;
}
