import { lastLines } from '../../platform/fields/formats.js';
import type { OutputLine, ProcessEnd } from '../../platform/process/process-types.js';
import { describeEnd, type Driver, type Outcome } from '../executor.js';
import type { NormalizedEntry } from '../log-entry.js';

const MAX_ENTRY_CHARS = 4_096;
const MAX_ENTRY_LINES = 100;
const FINAL_MESSAGE_BYTES = 4_096;

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
    if (line.stream === 'stdout') this.remember(line);
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
    return describeEnd(end);
  }

  /** Keeps the last of standard output, cut rarely so that a flood costs little. */
  private remember(line: OutputLine): void {
    this.tail += line.continues ? line.text : `${line.text}\n`;
    if (this.tail.length > 16 * FINAL_MESSAGE_BYTES) this.tail = this.tail.slice(-2 * FINAL_MESSAGE_BYTES);
  }
}
