import { SERVER_INFO } from '../config/version.js';
import type { ExportedProject, ExportedRow } from './export-rows.repository.js';
import type { InnerKind, Origin } from './external-records.repository.js';
import { FORMAT, FORMAT_VERSION } from './line-fields.js';

/** Lines of an export, from rows. */

type Fields = Record<string, unknown>;

export const headerLine = (): string =>
  lineOf({
    kind: 'header',
    format: FORMAT,
    version: FORMAT_VERSION,
    exported_at: new Date().toISOString(),
    exported_by: `taskyard ${SERVER_INFO.version}`,
  });

export const endLine = (records: number): string => lineOf({ kind: 'end', records });

export const projectLine = (project: ExportedProject): string => lineOf({ kind: 'project', ...project });

/** What each kind refers to. */
const references: Record<InnerKind, readonly string[]> = {
  repository: [],
  task: ['parent'],
  thought: ['task'],
  attempt: ['task'],
  session: ['attempt'],
  turn: ['session'],
  comment: ['attempt'],
};
/** Columns that only the export needs. */
const UNSAID = ['row_place', 'candidates', 'id', 'parent_id', 'parent_row_place'];

/** @param project that repositories and tasks are in */
export function recordLine(kind: InnerKind, row: ExportedRow, project: Origin): string {
  const { system, external_id, ...fields } = row;
  const own: Origin = { system, external_id };
  for (const name of UNSAID) delete fields[name];
  const referred: Fields = kind === 'repository' || kind === 'task' ? { project: referenceTo(project, own) } : {};
  for (const name of references[kind]) {
    const to = { system: fields[`${name}_system`], external_id: fields[`${name}_external_id`] } as Origin;
    if (to.external_id !== null) referred[name] = referenceTo(to, own);
    delete fields[`${name}_system`];
    delete fields[`${name}_external_id`];
  }
  return lineOf({ kind, ...own, ...referred, ...fields });
}

/** The system is said where it is another one. */
const referenceTo = ({ system, external_id }: Origin, { system: own }: Origin): Partial<Origin> =>
  system === own ? { external_id } : { external_id, system };

/** Without what is empty. */
const lineOf = (fields: Fields): string =>
  `${JSON.stringify(fields, (_, value: unknown) => (value === null ? undefined : value))}\n`;
