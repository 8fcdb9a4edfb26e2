/** One path of `git diff --raw --numstat -z --no-abbrev`. Paths are byte strings: one character for each byte, as names
 *  need not be UTF-8. */
export interface DiffRecord {
  path: string;
  oldPath: string | null;
  /** The letter of git: A, C, D, M, R, T, U. */
  letter: string;
  /** Zero for binary files, and when counts were not asked for. */
  added: number;
  deleted: number;
  isBinary: boolean;
}

/** Raw records stand first, numstat records after them; a rename takes two path fields in either. */
export function parseDiff(output: Buffer): DiffRecord[] {
  const fields = output.toString('latin1').split('\0');
  const records = new Map<string, DiffRecord>();
  let at = 0;
  while (fields[at]?.startsWith(':')) at = readRaw(fields, at, records);
  while (at < fields.length - 1) at = readCounts(fields, at, records);
  return [...records.values()];
}

/** `:<old mode> <new mode> <old id> <new id> <letter><score>` NUL path [NUL new path] */
function readRaw(fields: string[], at: number, records: Map<string, DiffRecord>): number {
  const letter = fields[at]!.split(' ')[4]![0]!;
  const isPair = letter === 'R' || letter === 'C';
  const path = fields[at + (isPair ? 2 : 1)]!;
  // An unmerged path comes twice; what the worktree holds comes last and counts.
  records.set(path, { path, oldPath: isPair ? fields[at + 1]! : null, letter, added: 0, deleted: 0, isBinary: false });
  return at + (isPair ? 3 : 2);
}

/** `<added> TAB <deleted> TAB path`, or for a rename an empty path and two fields; `-` stands for binary. */
function readCounts(fields: string[], at: number, records: Map<string, DiffRecord>): number {
  const [, added, deleted, own] = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(fields[at]!) ?? [];
  const isPair = own === '';
  const record = records.get(isPair ? fields[at + 2]! : (own ?? ''));
  if (record)
    Object.assign(record, added === '-' ? { isBinary: true } : { added: Number(added), deleted: Number(deleted) });
  return at + (isPair ? 3 : 1);
}

/** Byte strings of a list that ends each item with NUL. */
export function parseNames(output: Buffer): string[] {
  return output.toString('latin1').split('\0').slice(0, -1);
}

/** A byte string as text; what is not UTF-8 becomes U+FFFD. */
export function textOf(bytes: string): string {
  return /^[\0-\x7f]*$/.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Path of a file for the file system, exact for every name. @param name byte string */
export function bytePath(dir: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${dir}/`), Buffer.from(name, 'latin1')]);
}
