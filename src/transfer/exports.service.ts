import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import type { Principal } from '../platform/access/principal.js';
import { Database } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { endLine, headerLine, projectLine, recordLine } from './export-lines.js';
import { CHOSEN_TASKS, OF_TASKS, type PagedRows, REPOSITORIES, TASKS } from './export-rows.sql.js';
import { type ExportedTask, ExportRowsRepository } from './export-rows.repository.js';
import type { Origin } from './external-records.repository.js';
import { TransferPlaces } from './transfer-places.js';

export interface Export {
  slug: string;
  lines: Readable;
}

/** A page of an export: its text, and how many records it holds. */
interface Part {
  text: string;
  records: number;
}

/** Writes projects down: all that was thought, said and tried in them, without logs and secrets. */
@Injectable()
export class ExportsService {
  private readonly logger = new Logger(ExportsService.name);

  constructor(
    private readonly database: Database,
    private readonly rows: ExportRowsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly places: TransferPlaces,
  ) {}

  /** A stream that ends with an end line, unless it broke off. All of it is from one moment, and no more than a page
   *  is in memory. @throws AppError project_not_found, not_a_member, forbidden, transfers_busy */
  async open(project_id: string, principal: Principal): Promise<Export> {
    const { slug } = await this.projectRows.get(principal, project_id);
    const leave = this.places.take(principal);
    const lines = new PassThrough();
    this.write(project_id, lines)
      .catch((error: unknown) => {
        if (!lines.destroyed) this.logger.error({ project_id, err: error }, 'an export broke off');
        lines.destroy(error as Error);
      })
      .finally(leave);
    return { slug, lines };
  }

  /** Every statement is made here, because only this call is in the transaction. */
  private write(project_id: string, out: Writable): Promise<void> {
    const gone = new AbortController();
    out.once('close', () => gone.abort());
    return this.database.transaction(async () => {
      await this.rows.freeze();
      for await (const text of this.texts(project_id)) {
        gone.signal.throwIfAborted();
        if (!out.write(text)) await once(out, 'drain', { signal: gone.signal });
      }
      out.end();
    });
  }

  private async *texts(project_id: string): AsyncGenerator<string> {
    const project = await this.rows.findProject(project_id);
    if (project === null) throw new AppError('project_not_found', { project_id });
    yield headerLine() + projectLine(project);
    let records = 1;
    for await (const part of this.parts(project_id, project)) {
      records += part.records;
      yield part.text;
    }
    yield endLine(records);
  }

  private async *parts(project_id: string, project: Origin): AsyncGenerator<Part> {
    yield* this.pages(REPOSITORIES, project_id, project);
    const late = new Map<string, string>();
    for await (const page of this.rows.pages<ExportedTask>(TASKS, project_id))
      yield* this.withHistory(withoutLate(page, late), project);
    for (let ready = readyOf(late); ready.length > 0; ready = readyOf(late)) {
      for await (const page of this.rows.pages<ExportedTask>(CHOSEN_TASKS, ready))
        yield* this.withHistory(page, project);
      for (const id of ready) late.delete(id);
    }
  }

  /** Tasks, and behind them what hangs on them. */
  private async *withHistory(tasks: readonly ExportedTask[], project: Origin): AsyncGenerator<Part> {
    if (tasks.length === 0) return;
    yield { text: tasks.map((task) => recordLine('task', task, project)).join(''), records: tasks.length };
    const ids = tasks.map(({ id }) => id);
    for (const paged of OF_TASKS) yield* this.pages(paged, ids, project);
  }

  private async *pages(paged: PagedRows, of: unknown, project: Origin): AsyncGenerator<Part> {
    for await (const rows of this.rows.pages(paged, of))
      yield { text: rows.map((row) => recordLine(paged.kind, row, project)).join(''), records: rows.length };
  }
}

/** A task moved below a younger one stands behind that. @param late those, with what they are below; these are added */
function withoutLate(page: readonly ExportedTask[], late: Map<string, string>): ExportedTask[] {
  return page.filter(({ id, row_place, parent_id, parent_row_place }) => {
    const isLate = parent_id !== null && (Number(parent_row_place) > Number(row_place) || late.has(parent_id));
    if (isLate) late.set(id, parent_id);
    return !isLate;
  });
}

/** Late tasks whose parents are written. */
const readyOf = (late: ReadonlyMap<string, string>): string[] =>
  [...late].filter(([, parent]) => !late.has(parent)).map(([id]) => id);
