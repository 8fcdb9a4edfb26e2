import path from 'node:path';
import { type Json, listOf, numberOf, objectOf, textOf } from '../agent/json.js';
import type { NormalizedEntry } from '../log-entry.js';

/** What is known of one tool call; updates arrive in parts. */
interface AcpCall {
  id: string;
  title: string;
  kind: string;
  name: string;
  input: Json;
  content: Json[];
  locations: Json[];
  rawOutput: unknown;
  /** Output of a terminal the agent runs itself, in pieces. */
  terminal: string;
  exitCode: number | null;
  status: string;
  isAnnounced: boolean;
  announcedTitle: string;
  wasAsked: boolean;
}

const newCall = (id: string): AcpCall => ({
  id,
  title: '',
  kind: '',
  name: '',
  input: {},
  content: [],
  locations: [],
  rawOutput: undefined,
  terminal: '',
  exitCode: null,
  status: '',
  isAnnounced: false,
  announcedTitle: '',
  wasAsked: false,
});

/** Merges an update; its content replaces the earlier content. */
function merge(call: AcpCall, update: Json): void {
  const meta = objectOf(update._meta);
  call.title = textOf(update.title) || call.title;
  call.kind = textOf(update.kind) || call.kind;
  call.status = textOf(update.status) || call.status;
  if (!call.isAnnounced) call.name = toolName(update, meta) || call.name;
  if (Object.keys(objectOf(update.rawInput)).length > 0) call.input = objectOf(update.rawInput);
  if (Array.isArray(update.content)) call.content = update.content.map(objectOf);
  if (listOf(update.locations).length > 0) call.locations = listOf(update.locations).map(objectOf);
  if (update.rawOutput !== undefined) call.rawOutput = update.rawOutput;
  call.terminal += textOf(objectOf(meta.terminal_output_delta).data);
  call.exitCode = numberOf(objectOf(meta.terminal_exit).exit_code) ?? call.exitCode;
}

const toolName = (update: Json, meta: Json): string =>
  textOf(objectOf(meta.claudeCode).toolName) || textOf(meta.toolName) || textOf(update.name);

type Titled = Pick<AcpCall, 'title' | 'name' | 'kind' | 'input' | 'locations' | 'content'>;
const CHANGING = new Set(['edit', 'delete', 'move']);

/** Prefers the command to the title, and names the changed files. */
export function titleOf(call: Titled): string {
  const { title, name, kind, input } = call;
  const said = (kind === 'execute' ? textOf(input.command) : '') || title || name || kind || 'tool';
  const unsaid = CHANGING.has(kind) ? pathsOf(call).filter((file) => !said.includes(path.basename(file))) : [];
  return unsaid.length === 0 ? said : `${said}: ${unsaid.join(', ')}`;
}

/** Output of a call, from wherever the agent put it. */
function resultText(call: AcpCall): string {
  const raw = objectOf(call.rawOutput);
  return (
    call.terminal || textOf(call.rawOutput) || textOf(raw.output) || textOf(raw.content) || contentText(call.content)
  );
}

/** Files a call reads or changes. */
function pathsOf(call: Pick<AcpCall, 'locations' | 'content'>): string[] {
  const named = [...call.locations, ...call.content.filter(({ type }) => type === 'diff')].map((one) =>
    textOf(one.path),
  );
  return [...new Set(named.filter((file) => file !== '' && file !== '.'))];
}

function exitCodeOf(call: AcpCall): number | null {
  const raw = objectOf(call.rawOutput);
  const ended = listOf(raw.contents)
    .map(objectOf)
    .find(({ type }) => type === 'shell_exit');
  return call.exitCode ?? numberOf(objectOf(raw.metadata).exit) ?? numberOf(ended?.exitCode);
}

function contentText(content: Json[]): string {
  return content
    .map((one) => (one.type === 'diff' ? `edited ${textOf(one.path)}` : textOf(objectOf(one.content).text)))
    .filter(Boolean)
    .join('\n');
}

const ENDED = new Set(['completed', 'failed']);

/** Tool calls of a turn. A call is logged once it runs, needs permission, or something else happens, because agents
 *  fill it in until then. */
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

  /** On a pause, logs calls that run, but not those whose arguments are still being written. */
  announceFilledIn(): NormalizedEntry[] {
    return [...this.running.values()].filter(isFilledIn).flatMap((call) => this.announce(call));
  }

  announceAll(): NormalizedEntry[] {
    return [...this.running.values()].flatMap((call) => this.announce(call));
  }

  /** At the end of the turn, closes calls without a result, which agents omit for refused ones. */
  closeAll(): NormalizedEntry[] {
    return [...this.running.values()].map((call) => this.close({ ...call, status: 'unfinished' }));
  }

  get count(): number {
    return this.ended.size;
  }

  /** Whether everything the agent tried was denied. */
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
