/** Lines that git shows around each change. */
export const LEAST_CONTEXT = 3;

/** Lines of the later state, from the first to the last of them. */
export interface Stretch {
  from: number;
  to: number;
}

export interface DiffLine {
  kind: 'context' | 'added' | 'deleted' | 'hunk';
  text: string;
  /** Line number in the old and the new file; null if the line is not in it. */
  old: number | null;
  new: number | null;
  /** Where a hunk begins, on both sides. */
  start?: { old: number; new: number };
  /** What is left out above it. */
  gap?: Stretch;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of one file's unified diff, numbered on both sides. */
export function linesOf(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let at: { old: number; new: number } | null = null;
  for (const text of patch.replace(/\n$/, '').split('\n')) {
    const hunk = HUNK.exec(text);
    if (hunk) {
      at = { old: Number(hunk[1]), new: Number(hunk[2]) };
      lines.push({ kind: 'hunk', text, old: null, new: null, start: { ...at } });
    } else if (at) lines.push(lineOf(text, at));
  }
  return lines;
}

function lineOf(text: string, at: { old: number; new: number }): DiffLine {
  const content = text.slice(1);
  if (text.startsWith('+')) return { kind: 'added', text: content, old: null, new: at.new++ };
  if (text.startsWith('-')) return { kind: 'deleted', text: content, old: at.old++, new: null };
  if (text.startsWith('\\')) return { kind: 'hunk', text, old: null, new: null };
  return { kind: 'context', text: content, old: at.old++, new: at.new++ };
}

const OPENING = /^diff --git a\/(.*) b\/(.*)$/;

/** The diffs of several files, keyed by old name, newline, new name. Files with quoted names are left out. */
export function sectionsOf(patch: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const text of patch.split(/^(?=diff --git )/m)) {
    const first = text.slice(0, text.indexOf('\n'));
    const names = namesOf(first);
    if (names) sections.set(names, text);
  }
  return sections;
}

/** Without a rename both halves are equal, even if they contain another ` b/`. */
function namesOf(first: string): string | null {
  const both = first.slice('diff --git a/'.length);
  const half = both.slice(0, (both.length - ' b/'.length) / 2);
  if (first.startsWith('diff --git a/') && both === `${half} b/${half}`) return `${half}\n${half}`;
  const found = OPENING.exec(first);
  return found && `${found[1]}\n${found[2]}`;
}
