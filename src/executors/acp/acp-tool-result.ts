import path from 'node:path';
import { listOf, numberOf, objectOf, textOf, type Json } from '../agent/json.js';

/** What is known of one tool call; every update may bring a part of it. */
export interface AcpCall {
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

export const newCall = (id: string): AcpCall => ({
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

/** Takes over an update; its content replaces the earlier content. */
export function merge(call: AcpCall, update: Json): void {
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

/** A command says more than what it is called; a change says which files. */
export function titleOf(call: Titled): string {
  const { title, name, kind, input } = call;
  const said = (kind === 'execute' ? textOf(input.command) : '') || title || name || kind || 'tool';
  const unsaid = CHANGING.has(kind) ? pathsOf(call).filter((file) => !said.includes(path.basename(file))) : [];
  return unsaid.length === 0 ? said : `${said}: ${unsaid.join(', ')}`;
}

/** Output of a call, from wherever the agent put it. */
export function resultText(call: AcpCall): string {
  const raw = objectOf(call.rawOutput);
  return (
    call.terminal || textOf(call.rawOutput) || textOf(raw.output) || textOf(raw.content) || contentText(call.content)
  );
}

/** Files a call reads or changes. */
export function pathsOf(call: Pick<AcpCall, 'locations' | 'content'>): string[] {
  const named = [...call.locations, ...call.content.filter(({ type }) => type === 'diff')].map((one) =>
    textOf(one.path),
  );
  return [...new Set(named.filter((file) => file !== '' && file !== '.'))];
}

export function exitCodeOf(call: AcpCall): number | null {
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
