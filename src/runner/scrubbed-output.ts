import { entryTypes, type NormalizedEntry, type RawEntry } from '../executors/log-entry.js';
import type { OutputLine } from '../platform/process/process-types.js';
import type { Scrubber } from '../secrets/scrubber.js';

/** Output of one process as it may be stored: without the values of secrets, also where one is cut in two. */
export class ScrubbedOutput {
  /** Streams whose last line has not ended. */
  private readonly open = { stdout: false, stderr: false };

  constructor(private readonly scrubber: Scrubber) {}

  raw({ stream: type, text, continues }: OutputLine): RawEntry {
    const content = this.scrubber.piece(type, text, continues);
    const entry: RawEntry = this.open[type] ? { type, content, continues: true } : { type, content };
    this.open[type] = continues;
    return entry;
  }

  /** @param goesOn their texts may not be at their end yet */
  entries(entries: readonly NormalizedEntry[], goesOn = false): NormalizedEntry[] {
    return entries.flatMap((entry) => {
      const before = entry.continues ? [] : this.restOf(entry.type);
      const content = this.scrubber.piece(keyOf(entry.type), entry.content, goesOn);
      return [...before, { ...this.scrubber.record(entry), content }];
    });
  }

  /** What turned out to be the end of its text. */
  rest(): NormalizedEntry[] {
    return entryTypes.flatMap((type) => this.restOf(type));
  }

  private restOf(type: NormalizedEntry['type']): NormalizedEntry[] {
    const content = this.scrubber.rest(keyOf(type));
    return content === '' ? [] : [{ type, content, continues: true }];
  }
}

const keyOf = (type: NormalizedEntry['type']): string => `entry ${type}`;
