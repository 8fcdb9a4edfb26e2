import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { OutputLine, ProcessEnd } from '../../src/platform/process/process-types.js';

const folder = path.join(import.meta.dirname, '../fixtures/transcripts');

/** One turn of a recorded agent, as its process printed it. */
export interface RecordedTurn {
  name: string;
  lines: OutputLine[];
  end: ProcessEnd;
  resumes: string | null;
}

/** What was sent in a recording names the turns in it; our own requests have other ids than the recorded ones. */
interface Dialect {
  ourId: (method: string) => unknown;
  isPrompt: (message: Message) => boolean;
  resume: readonly string[];
}

export type Message = { type?: string; id?: unknown; method?: string; params?: Record<string, unknown> };
interface Process {
  sent: { at: number; message: Message }[];
  lines: OutputLine[];
  end: ProcessEnd;
}

export const transcriptNames = (executor: string): string[] =>
  readdirSync(path.join(folder, executor))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .sort();

/** A recording of standard output alone; how the process ended is written beside it. */
export function plainTurn(executor: string, name: string): RecordedTurn {
  const ends = JSON.parse(readFileSync(path.join(folder, executor, 'ends.json'), 'utf8')) as Record<
    string,
    { exit_code: number | null; signal: NodeJS.Signals | null; stderr: string; resumes: string | null }
  >;
  const { exit_code, signal, stderr, resumes } = ends[name]!;
  const lines = [
    ...textLines(read(executor, name)).map((text) => line('stdout', text)),
    ...textLines(stderr).map((text) => line('stderr', text)),
  ];
  return { name, lines, end: { exit_code, signal, spawn_error: null }, resumes };
}

/** A recording of both sides (`>>>` sent, `<<<` heard, `!!!` standard error, `===` the end), cut into its turns. */
export function conversationTurns(executor: string, name: string, dialect: Dialect): RecordedTurn[] {
  return processes(read(executor, name), dialect)
    .flatMap((one) => turnsOf(one, dialect))
    .map((turn, index) => ({ ...turn, name: `${name}.${index + 1}` }));
}

const ROW = /^(>>>|<<<|!!!|===) ?(?:\d+ (?=\{))?(.*)$/;

/** The end of a process closes one recording; the next thing sent begins another. */
function processes(text: string, dialect: Dialect): Process[] {
  const rows = textLines(text).flatMap((row) => {
    const [, mark, rest] = ROW.exec(row) ?? [];
    return mark === undefined ? [] : [{ mark, rest: rest! }];
  });
  const ends = rows.flatMap(({ mark }, index) => (mark === '===' ? [index + 1] : []));
  return ends.map((end, index) => processOf(rows.slice(ends[index - 1] ?? 0, end), dialect));
}

function processOf(rows: { mark: string; rest: string }[], { ourId }: Dialect): Process {
  const ids = new Map<unknown, unknown>();
  const one: Process = { sent: [], lines: [], end: { exit_code: null, signal: null, spawn_error: null } };
  const take: Record<string, (rest: string) => void> = {
    '>>>': (rest) => {
      const message = JSON.parse(rest) as Message;
      if (message.method !== undefined && message.id !== undefined)
        ids.set(message.id, ourId(message.method) ?? `recorded-${JSON.stringify(message.id)}`);
      one.sent.push({ at: one.lines.length, message });
    },
    '<<<': (rest) => one.lines.push(line('stdout', withOurId(rest, ids))),
    '!!!': (rest) => one.lines.push(line('stderr', rest)),
    '===': (rest) => {
      one.end = endOf(rest);
    },
  };
  for (const { mark, rest } of rows) take[mark]!(rest);
  return one;
}

function endOf(row: string): ProcessEnd {
  const [, code, signal] = /exit (\S+) (\S+)/.exec(row)!;
  return {
    exit_code: code === 'null' ? null : Number(code),
    signal: signal === 'null' ? null : (signal as NodeJS.Signals),
    spawn_error: null,
  };
}

/** Later turns of a process begin as the first did: each is then what a process of its own would have said. */
function turnsOf({ sent, lines, end }: Process, { isPrompt, resume }: Dialect): Omit<RecordedTurn, 'name'>[] {
  const prompts = sent.filter(({ message }) => isPrompt(message)).map(({ at }) => at);
  const resumed = sent.find(({ message }) => resume.includes(message.method ?? ''))?.message.params ?? {};
  const id = resumed.sessionId ?? resumed.threadId;
  const resumes = typeof id === 'string' && id !== '' ? id : null;
  if (prompts.length === 0) return [{ lines, end, resumes }];
  const opening = lines.slice(0, prompts[0]);
  return prompts.map((at, index) => ({ lines: [...opening, ...lines.slice(at, prompts[index + 1])], end, resumes }));
}

/** What a recorded agent of the Agent Client Protocol told in each prompted turn, and last its answer. */
export function acpTold(name: string): object[][] {
  const turns: object[][] = [];
  let prompted: unknown = null;
  for (const { isSent, message } of messagesOf('acp', name)) {
    const isAnswer = !isSent && message.method === undefined && message.id === prompted;
    if (isSent && message.method === 'session/prompt') {
      turns.push([]);
      prompted = message.id;
    } else if (prompted !== null && (isAnswer || message.method === 'session/update')) turns.at(-1)!.push(message);
    if (isAnswer) prompted = null;
  }
  return turns;
}

const messagesOf = (executor: string, name: string) =>
  textLines(read(executor, name)).flatMap((row) => {
    const [, mark, rest] = ROW.exec(row) ?? [];
    const isMessage = mark === '>>>' || mark === '<<<';
    return isMessage ? [{ isSent: mark === '>>>', message: JSON.parse(rest!) as Message }] : [];
  });

function withOurId(row: string, ids: Map<unknown, unknown>): string {
  const message = JSON.parse(row) as Message;
  return message.method === undefined && ids.has(message.id)
    ? JSON.stringify({ ...message, id: ids.get(message.id) })
    : row;
}

const read = (executor: string, name: string): string =>
  readFileSync(path.join(folder, executor, `${name}.jsonl`), 'utf8');
const textLines = (text: string): string[] => text.split('\n').filter((row) => row !== '');
const line = (stream: OutputLine['stream'], text: string): OutputLine => ({ stream, text, continues: false });
