import type { LogEntry } from '../types.js';
import { plainText } from './ansi.js';

export interface ToolRow {
  icon: 'run' | 'read' | 'edit' | 'search' | 'web' | 'tool';
  verb: string;
  /** Path, command or words that it is about, on one line. */
  what: string;
  /** Lines that it puts in and takes out, as far as its input tells; 0 otherwise. */
  added: number;
  deleted: number;
}

type Call = Pick<LogEntry['entry'], 'content' | 'tool_name' | 'metadata'>;
type Input = Record<string, unknown>;

/** The tools of the agents by name or kind, in any case. */
const KINDS: readonly (readonly [RegExp, ToolRow['icon'], string])[] = [
  [/^(bash|command|execute|shell|run_shell_command|terminal)$/i, 'run', 'Run'],
  [/^(web_?search|web_?fetch|fetch)$/i, 'web', 'Fetch'],
  [/^(read|read_file|view|view_image|notebookread)$/i, 'read', 'Read'],
  [/^(write|write_file|create)$/i, 'edit', 'Write'],
  [/^(edit|multiedit|notebookedit|file_change|replace|apply_patch|str_replace.*)$/i, 'edit', 'Edit'],
  [/^(delete|move)$/i, 'edit', 'Move'],
  [/^(grep|glob|search|search_file_content|ls|list_directory)$/i, 'search', 'Search'],
];
const MOST_CHARS = 160;
const WORKTREE = /^.*\/worktrees\/[^/]+\//;

/** A call of a tool as a row: what kind of thing it does, and to what. */
export function rowOf({ content, tool_name = 'tool', metadata }: Call): ToolRow {
  const input = (metadata?.input ?? {}) as Input;
  const [, icon, verb] = KINDS.find(([name]) => name.test(tool_name)) ?? [null, 'tool', tool_name];
  const [path] = [input.file_path, input.path, ...((metadata?.paths as unknown[] | undefined) ?? [])].filter(isText);
  const isAboutFile = icon === 'edit' || icon === 'read';
  const what = (isAboutFile && path) || plainText(content);
  return {
    icon,
    verb,
    what: what.split('\n', 1)[0]!.replace(WORKTREE, '').slice(0, MOST_CHARS),
    ...linesOf(input),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const count = (value: unknown): number => (isText(value) ? value.replace(/\n$/, '').split('\n').length : 0);

function linesOf(input: Input): { added: number; deleted: number } {
  const edits = Array.isArray(input.edits) ? (input.edits as Input[]) : [input];
  const changes = Array.isArray(input.changes) ? (input.changes as Input[]) : [];
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
  const marked = (sign: string) =>
    sum(changes.map(({ diff }) => (isText(diff) ? diff.split('\n').filter((line) => isMarked(line, sign)).length : 0)));
  return {
    added: sum(edits.map(({ new_string, content }) => count(new_string ?? content))) + marked('+'),
    deleted: sum(edits.map(({ old_string }) => count(old_string))) + marked('-'),
  };
}

const isMarked = (line: string, sign: string): boolean => line.startsWith(sign) && !line.startsWith(sign.repeat(3));
