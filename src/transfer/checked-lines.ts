import type { BatchKind } from './imported-rows.repository.js';
import type { LineErrors } from './line-errors.js';
import type { LineFile } from './line-file.js';
import { type AnyLine, LineError, type LineOf, readLine } from './read-line.js';

/** A line with its place in the file. */
export type Numbered<T> = T & { number: number };

export type BatchLine = Numbered<LineOf<BatchKind>>;

/** What has to be looked at before anything is written. */
export interface Preamble {
  projects: Numbered<LineOf<'project'>>[];
  repositories: Numbered<LineOf<'repository'>>[];
}

/** The whole of an export, or nothing but tasks for a project that is there. */
export type Extent = 'whole' | 'tasks';

/** Project and repository lines of one import. */
const MAX_PREAMBLE = 1_000;

/** Reads every line once, and notes what is wrong with any. @returns those to be looked at first */
export async function checkLines(file: LineFile, extent: Extent, errors: LineErrors): Promise<Preamble> {
  const check = new Check(extent, errors);
  for await (const { number, text } of file.lines((at, message) => errors.add(at, message))) {
    check.count(number);
    const line = tried(() => readLine(text), number, errors);
    if (line !== null) check.add({ ...line, number });
  }
  check.finish();
  return check.preamble;
}

/** Lines of the records of projects, which were checked before, each with the characters that it has. */
export async function* recordLines(file: LineFile): AsyncGenerator<{ line: BatchLine; size: number }> {
  for await (const { number, text } of file.lines(() => undefined)) {
    const line = readLine(text);
    if (isOfBatch(line)) yield { line: { ...line, number }, size: text.length };
  }
}

const isOfBatch = (line: AnyLine): line is LineOf<BatchKind> =>
  !['header', 'project', 'repository', 'end'].includes(line.kind);

function tried(read: () => AnyLine, number: number, errors: LineErrors): AnyLine | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    errors.add(number, error.message);
    return null;
  }
}

/** The order of lines. */
class Check {
  readonly preamble: Preamble = { projects: [], repositories: [] };
  private lines = 0;
  private last = 0;
  private hasBody = false;
  private hasHeader = false;
  private end: Numbered<LineOf<'end'>> | null = null;

  constructor(
    private readonly extent: Extent,
    private readonly errors: LineErrors,
  ) {}

  count(number: number): void {
    if (this.end !== null && this.last === this.end.number) this.errors.add(number, 'stands behind the end');
    this.lines += 1;
    this.last = number;
  }

  add(line: Numbered<AnyLine>): void {
    const { kind, number } = line;
    if (kind === 'header') this.addHeader(number);
    else if (this.lines === 1 && this.extent === 'whole') this.errors.add(number, 'is not the header');
    if (this.extent === 'tasks' && !['header', 'task', 'end'].includes(kind))
      this.errors.add(number, `is a ${kind}; only tasks are taken here, and POST /api/imports takes the rest`);
    else if (kind === 'project' || kind === 'repository') this.addFirst(line);
    else if (kind === 'end') this.end = line;
    else if (kind !== 'header') this.addRecord(line);
  }

  finish(): void {
    if (this.extent === 'tasks' && this.end === null) return;
    const records = this.lines - Number(this.hasHeader) - Number(this.end !== null);
    if (this.end === null) this.errors.add(this.last + 1, 'should be the end: the file is cut off');
    else if (this.end.records !== records)
      this.errors.add(this.end.number, `says that ${this.end.records} records stand before it, but ${records} do`);
  }

  private addHeader(number: number): void {
    if (this.lines > 1) this.errors.add(number, 'is a header, which only the first line is');
    this.hasHeader = true;
  }

  private addFirst(line: Numbered<LineOf<'project'> | LineOf<'repository'>>): void {
    if (this.hasBody) this.errors.add(line.number, `is a ${line.kind}, which stands before all other records`);
    const { projects, repositories } = this.preamble;
    if (projects.length + repositories.length === MAX_PREAMBLE)
      this.errors.add(line.number, `is beyond ${MAX_PREAMBLE} projects and repositories`);
    else if (line.kind === 'project') projects.push(line);
    else repositories.push(line);
  }

  private addRecord(line: Numbered<AnyLine>): void {
    this.hasBody = true;
    if (this.extent === 'whole' && line.kind === 'task' && line.project === undefined)
      this.errors.add(line.number, '(task): project is required');
  }
}
