import path from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { ENVIRONMENT, type Environment } from '../config/environment.js';
import { EventLog } from '../events/event-log.js';
import type { Principal } from '../platform/access/principal.js';
import { requireCaller } from '../platform/access/rights.js';
import { Database, type Transaction } from '../platform/database/database.js';
import { AppError } from '../platform/errors/app-error.js';
import { projectFact } from '../projects/project.entity.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { StorageLimits } from '../storage/storage-limits.service.js';
import { type BatchLine, checkLines, type Extent, recordLines } from './checked-lines.js';
import { ExternalRecordsRepository, type Origin } from './external-records.repository.js';
import { ImportCounts } from './import-counts.js';
import { type ImportContext, ImportRound } from './import-round.js';
import { ImportedRowsRepository } from './imported-rows.repository.js';
import { LineErrors } from './line-errors.js';
import { LineFile } from './line-file.js';
import { projectAt, ProjectImports, type ProjectPlan } from './project-imports.js';
import { type ImportInput, type ImportOutput, type ImportTasksInput } from './transfer.dto.js';
import { TransferPlaces } from './transfer-places.js';

/** Lines, and characters of JSON, that are written together. */
const ROUND = { lines: 500, characters: 2_000_000 };

const NOTHING_PLANNED: ProjectPlan = { projects: [], repos: [], standing: 0 };

/** Takes exports in: all of one or nothing. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly database: Database,
    private readonly records: ExternalRecordsRepository,
    private readonly rows: ImportedRowsRepository,
    private readonly projectRows: ProjectsRepository,
    private readonly projectImports: ProjectImports,
    private readonly storage: StorageLimits,
    private readonly audit: AuditService,
    private readonly events: EventLog,
    private readonly places: TransferPlaces,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  /** A whole export. @throws AppError import_refused, import_in_progress, transfers_busy, not_a_member, forbidden,
   *  too_much_stored */
  importAll(body: () => Readable, { dry_run = false }: ImportInput, principal: Principal): Promise<ImportOutput> {
    return this.received(body, 'whole', principal, async (file, preamble, errors) => {
      const plan = await this.projectImports.plan(preamble, dry_run, errors, principal);
      try {
        return await this.write(file, plan, null, errors, dry_run, principal);
      } catch (error) {
        await this.projectImports.discard(plan);
        throw error;
      }
    });
  }

  /** Tasks, into a project that is there. @throws AppError import_refused, import_in_progress, transfers_busy,
   *  project_not_found, not_a_member, forbidden, too_much_stored */
  async importTasks(
    body: () => Readable,
    { project_id, dry_run = false }: ImportTasksInput,
    principal: Principal,
  ): Promise<ImportOutput> {
    await this.projectRows.get(principal, project_id);
    return this.received(body, 'tasks', principal, (file, _, errors) =>
      this.write(file, NOTHING_PLANNED, project_id, errors, dry_run, principal),
    );
  }

  /** With all that the caller sends, checked line by line. @param body asked for once the caller may import */
  private async received<T>(
    body: () => Readable,
    extent: Extent,
    principal: Principal,
    work: (file: LineFile, preamble: Awaited<ReturnType<typeof checkLines>>, errors: LineErrors) => Promise<T>,
  ): Promise<T> {
    requireCaller(principal, false, 'import');
    const leave = this.places.take(principal);
    try {
      const file = await LineFile.receive(body(), path.join(this.environment.DATA_DIR, 'imports'));
      try {
        const errors = new LineErrors();
        const preamble = await checkLines(file, extent, errors);
        errors.refuse();
        return await work(file, preamble, errors);
      } finally {
        await file.close();
      }
    } finally {
      leave();
    }
  }

  /** In one transaction, which a dry run rolls back. @param into the project of all tasks, where the lines name none */
  private async write(
    file: LineFile,
    plan: ProjectPlan,
    into: string | null,
    errors: LineErrors,
    dry_run: boolean,
    principal: Principal,
  ): Promise<ImportOutput> {
    const projects = into === null ? [...new Set(plan.projects.map(({ id }) => id))] : [into];
    const counts = new ImportCounts(plan);
    const projectOf = (origin: Origin) => into ?? projectAt(plan, origin)?.id;
    const work = async (tx: Transaction) => {
      await this.lock(tx, plan, projects);
      await this.projectImports.write(tx, plan, errors, principal);
      await this.writeRecords(file, { tx, principal, projectOf, projects, errors, counts });
      errors.refuse();
      await this.trace(tx, counts, principal);
      if (dry_run) throw new OnlyChecked();
    };
    await this.database.transaction(work).catch((error: unknown) => {
      if (!(error instanceof OnlyChecked)) throw error;
      return this.projectImports.discard(plan);
    });
    return counts.output(plan, dry_run);
  }

  private async writeRecords(file: LineFile, context: ImportContext): Promise<void> {
    let lines: BatchLine[] = [];
    let characters = 0;
    const flush = async () => {
      for (const project_id of context.projects) await this.storage.require(project_id, context.principal, characters);
      await new ImportRound(context, this.records, this.rows).write(lines);
      [lines, characters] = [[], 0];
    };
    for await (const { line, size } of recordLines(file)) {
      if (context.errors.isFull) return;
      lines.push(line);
      characters += size;
      if (lines.length === ROUND.lines || characters > ROUND.characters) await flush();
    }
    await flush();
  }

  /** One import at a time into each project, so that two of one file do not meet half way. */
  private async lock(tx: Transaction, { projects }: ProjectPlan, ids: readonly string[]): Promise<void> {
    const made = projects
      .filter(({ isNew }) => isNew)
      .map(({ line }) => JSON.stringify([line.system, line.external_id]));
    for (const name of [...made, ...ids].sort())
      if (!(await this.records.lock(tx, name))) throw new AppError('import_in_progress');
  }

  private async trace(tx: Transaction, counts: ImportCounts, principal: Principal): Promise<void> {
    for (const [project_id, created] of counts.byProject()) {
      const facts = projectFact(project_id, 'imported', { after: created });
      await this.audit.record(tx, principal, facts);
      await this.events.record(tx, {
        project_id,
        type: 'taskyard.project.imported',
        subject: project_id,
        data: { project_id, created },
      });
    }
  }
}

/** Rolls back what a dry run wrote. */
class OnlyChecked extends Error {}
