import { textOf, type Json } from '../agent/json.js';
import type { NormalizedEntry } from '../log-entry.js';
import { exitCodeOf, merge, newCall, pathsOf, resultText, titleOf, type AcpCall } from './acp-tool-result.js';

const ENDED = new Set(['completed', 'failed']);

/** Tool calls of a turn. A call is announced once it runs, is asked for, or something else happens: until then agents
 *  still fill it in. */
export class AcpToolCalls {
  private readonly running = new Map<string, AcpCall>();
  private readonly ended = new Set<string>();
  private succeeded = 0;
  private refused = 0;

  /** An update or a request may name a call that nobody announced. */
  update(update: Json): NormalizedEntry[] {
    const call = this.merged(update);
    if (call === null) return [];
    if (call.status === 'in_progress') return this.announce(call);
    return ENDED.has(call.status) ? [...this.announce(call), this.close(call)] : [];
  }

  asked(update: Json): NormalizedEntry[] {
    const call = this.merged(update);
    if (call === null) return [];
    call.wasAsked = true;
    return this.announce(call);
  }

  /** Output pauses: a call that runs is announced, one whose arguments the model still writes is not. */
  announceFilledIn(): NormalizedEntry[] {
    return [...this.running.values()].filter(isFilledIn).flatMap((call) => this.announce(call));
  }

  announceAll(): NormalizedEntry[] {
    return [...this.running.values()].flatMap((call) => this.announce(call));
  }

  /** The turn is over: what has no result by now gets none. Agents leave it out for calls that were refused. */
  closeAll(): NormalizedEntry[] {
    return [...this.running.values()].map((call) => this.close({ ...call, status: 'unfinished' }));
  }

  get count(): number {
    return this.ended.size;
  }

  /** Everything the agent tried was asked for and came to nothing. */
  get isAllDenied(): boolean {
    return this.refused > 0 && this.succeeded === 0;
  }

  private merged(update: Json): AcpCall | null {
    const id = textOf(update.toolCallId);
    if (id === '' || this.ended.has(id)) return null;
    const call = this.running.get(id) ?? newCall(id);
    this.running.set(id, call);
    merge(call, update);
    return call;
  }

  private announce(call: AcpCall): NormalizedEntry[] {
    if (call.isAnnounced) return [];
    call.isAnnounced = true;
    call.name = nameOf(call);
    call.announcedTitle = call.title;
    const paths = pathsOf(call);
    return [
      {
        type: 'tool_use',
        content: titleOf(call),
        tool_call: call.id,
        tool_name: call.name,
        metadata: { kind: call.kind || 'other', input: call.input, ...(paths.length > 0 && { paths }) },
      },
    ];
  }

  private close(call: AcpCall): NormalizedEntry {
    this.running.delete(call.id);
    this.ended.add(call.id);
    if (call.status === 'completed') this.succeeded += 1;
    else if (call.wasAsked) this.refused += 1;
    const exit_code = exitCodeOf(call);
    const paths = pathsOf(call);
    return {
      type: 'tool_result',
      content: resultText(call),
      tool_call: call.id,
      tool_name: call.name,
      metadata: {
        status: call.status,
        ...(call.title !== call.announcedTitle && { title: call.title }),
        ...(exit_code !== null && { exit_code }),
        ...(paths.length > 0 && { paths }),
      },
    };
  }
}

const isFilledIn = ({ status, input }: AcpCall): boolean =>
  status !== 'pending' || Object.keys(input).some((name) => name !== 'cwd');
const nameOf = ({ name, kind }: AcpCall): string => name || kind || 'tool';
