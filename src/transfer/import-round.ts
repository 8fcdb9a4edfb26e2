import type { Principal } from '../platform/access/principal.js';
import type { Transaction } from '../platform/database/database.js';
import { newId } from '../platform/database/uuid.js';
import type { BatchLine, Numbered } from './checked-lines.js';
import type { ExternalRecordsRepository, Origin } from './external-records.repository.js';
import type { ImportCounts } from './import-counts.js';
import { chained, type GivenThought } from './imported-thoughts.js';
import type { BatchKind, ImportedRow, ImportedRowsRepository } from './imported-rows.repository.js';
import { type KnownRecord, KnownRecords } from './known-records.js';
import { textBytes } from '../storage/storage-limits.service.js';
import type { RecordReference } from './line-fields.js';
import type { LineErrors } from './line-errors.js';
import type { LineOf } from './read-line.js';

/** In which order the lines of a round are written: what others refer to comes first. */
const ORDER: readonly BatchKind[] = ['task', 'thought', 'attempt', 'session', 'turn', 'comment'];

/** What an import shares among its rounds. */
export interface ImportContext {
  tx: Transaction;
  principal: Principal;
  /** Ids of the projects of the import by the names in its lines; undefined where there is none of that name. */
  projectOf(reference: Origin): string | undefined;
  projects: readonly string[];
  errors: LineErrors;
  counts: ImportCounts;
}

/** A line with its project, and the record it hangs on. */
interface Placed {
  line: BatchLine;
  project_id: string;
  above: KnownRecord | null;
}

/** Some hundred lines of an import, which are written together. */
export class ImportRound {
  private readonly known: KnownRecords;

  constructor(
    private readonly context: ImportContext,
    private readonly records: ExternalRecordsRepository,
    private readonly rows: ImportedRowsRepository,
  ) {
    this.known = new KnownRecords(records, context.projects);
  }

  async write(lines: readonly BatchLine[]): Promise<void> {
    for (const kind of ORDER) {
      const own = lines.filter((line) => line.kind === kind);
      if (own.length > 0) await this.writeKind(kind, own);
    }
  }

  private async writeKind(kind: BatchKind, lines: BatchLine[]): Promise<void> {
    const added = await this.claimed(kind, await this.placed(lines));
    await this.lookAround(lines);
    const rows = added.flatMap((one) => this.rowOf(one) ?? []);
    const written = await this.insert(kind, rows);
    const failed = new Set(rows.map(({ id }) => id).filter((id) => !written.has(id)));
    for (const { id, line } of added)
      if (failed.has(id)) this.context.errors.add(line.number, `adds a ${kind} to what was not imported`);
  }

  /** @returns ids of what had its place */
  private async insert(kind: BatchKind, rows: ImportedRow[]): Promise<Set<string>> {
    const { tx, principal } = this.context;
    const placed = kind === 'thought' ? await chained(tx, this.rows, rows as GivenThought[], principal) : rows;
    const bytes = new Map<string, number>();
    for (const row of rows) bytes.set(row.project_id, (bytes.get(row.project_id) ?? 0) + uncounted(kind, row));
    for (const [project_id, sum] of bytes) if (sum > 0) await this.rows.count(tx, project_id, principal, sum);
    return this.rows.insert(tx, kind, placed, principal);
  }

  /** Lines that hang on a record which is there. */
  private async placed(lines: BatchLine[]): Promise<Placed[]> {
    const references = lines.map((line) => (line.kind === 'task' ? null : aboveOf(line)));
    for (const kind of ['task', 'attempt', 'session'] as const)
      await this.known.look(
        kind,
        references.flatMap((one) => (one?.kind === kind ? [one.origin] : [])),
      );
    return lines.flatMap((line, at) => {
      const reference = references[at];
      if (!reference) return this.placedTask(line as Numbered<LineOf<'task'>>);
      const above = this.known.get(reference.kind, reference.origin, line.number);
      if (typeof above !== 'string') return [{ line, project_id: above.project_id, above }];
      this.context.errors.add(line.number, above);
      return [];
    });
  }

  private placedTask(line: Numbered<LineOf<'task'>>): Placed[] {
    const origin = originOf(line.project ?? line, line);
    const project_id = this.context.projectOf(origin);
    if (project_id !== undefined) return [{ line, project_id, above: null }];
    this.context.errors.add(line.number, `refers to project ${origin.external_id}, of which there is no line`);
    return [];
  }

  /** What is new, with its id; the others are counted and left as they are. */
  private async claimed(kind: BatchKind, placed: Placed[]): Promise<(Placed & { id: string })[]> {
    await this.known.look(
      kind,
      placed.map(({ line }) => line),
    );
    const added: (Placed & { id: string })[] = [];
    for (const one of placed) {
      const isThere = this.known.findIn(one.project_id, kind, one.line) !== undefined;
      this.context.counts.counted(kind, isThere ? 'existing' : 'created', one.project_id);
      if (isThere) continue;
      const id = newId();
      this.known.add(kind, one.line, { id, project_id: one.project_id, line: one.line.number });
      added.push({ ...one, id });
    }
    const claims = added.map(({ id, project_id, line: { system, external_id } }) => ({
      id,
      project_id,
      system,
      external_id,
    }));
    await this.records.claim(this.context.tx, kind, claims);
    return added;
  }

  /** Looks for what lines refer to beside the record they hang on. */
  private async lookAround(lines: BatchLine[]): Promise<void> {
    const parents = lines.flatMap((line) => (line.kind === 'task' && line.parent ? [originOf(line.parent, line)] : []));
    const repositories = lines.flatMap((line) =>
      line.kind === 'attempt' ? (line.repositories ?? []).map((one) => originOf(one.repository, line)) : [],
    );
    await this.known.look('task', parents);
    await this.known.look('repository', repositories);
  }

  /** null where a reference leads nowhere */
  private rowOf({ id, line, project_id, above }: Placed & { id: string }): ImportedRow | null {
    const { number: _, kind: _kind, system: _system, external_id: _external, ...fields } = line;
    const row = { ...fields, id, project_id };
    switch (line.kind) {
      case 'task': {
        const parent_task_id = line.parent ? this.idOf('task', line.parent, line, project_id) : null;
        return parent_task_id === undefined ? null : { ...row, title: line.title.trim(), parent_task_id };
      }
      case 'attempt': {
        const repositories = (line.repositories ?? []).map(({ repository, ...place }) => ({
          ...place,
          repo_id: this.idOf('repository', repository, line, project_id),
        }));
        return { ...row, task_id: above!.id, repositories };
      }
      case 'thought':
        return { ...row, task_id: above!.id };
      case 'turn':
        return { ...row, session_id: above!.id };
      default:
        return { ...row, attempt_id: above!.id };
    }
  }

  private idOf(
    kind: 'task' | 'repository',
    reference: RecordReference,
    line: BatchLine,
    project_id: string,
  ): string | undefined {
    const origin = originOf(reference, line);
    const found = this.known.findIn(project_id, kind, origin);
    if (found && found.line < line.number) return found.id;
    this.context.errors.add(
      line.number,
      `refers to ${kind} ${origin.external_id} of ${origin.system}, which no earlier line of its project has`,
    );
    return undefined;
  }
}

/** Bytes of texts that no trigger counts; those of a thought with what a record costs. */
function uncounted(kind: BatchKind, row: ImportedRow): number {
  const { content, agent_id, session_id, final_message } = row as Partial<Record<string, string>>;
  if (kind === 'thought') return RECORD_BYTES + textBytes(content, agent_id, session_id);
  return kind === 'turn' ? textBytes(final_message) : 0;
}
const RECORD_BYTES = 1_024;

const originOf = ({ external_id, system }: Partial<Origin> & { external_id: string }, line: Origin): Origin => ({
  external_id,
  system: system ?? line.system,
});

/** What a line hangs on. */
function aboveOf(line: Exclude<BatchLine, { kind: 'task' }>): { kind: 'task' | 'attempt' | 'session'; origin: Origin } {
  switch (line.kind) {
    case 'thought':
    case 'attempt':
      return { kind: 'task', origin: originOf(line.task, line) };
    case 'turn':
      return { kind: 'session', origin: originOf(line.session, line) };
    default:
      return { kind: 'attempt', origin: originOf(line.attempt, line) };
  }
}
