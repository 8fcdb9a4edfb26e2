import { type Schemas, TaskyardError } from '../client/index.js';
import { complain, print, printJson } from './output.js';
import type { CommonOptions, Session } from './session.js';

export interface ImportOptions extends CommonOptions {
  from?: 'vibe-kanban' | 'github';
  map?: string[];
  dryRun?: boolean;
  project?: string;
  repo: string;
}

export type ImportAnswer = Schemas['ImportOutput'];
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Sends the lines of an export, which are read while they are sent. */
export function sendLines({ client }: Session, content: Blob, options: ImportOptions): Promise<ImportAnswer> {
  return named(client.POST('/api/imports', { params: { query: queryOf(options) }, ...bodyOf(content) }));
}

export const queryOf = ({ dryRun }: ImportOptions): object => (dryRun ? { dry_run: true } : {});

/** The document calls the lines a text; a blob is read while it is sent. */
export const bodyOf = (content: Blob) => ({ body: '', bodySerializer: () => content, headers: NDJSON });

/** Names the lines that a refusal is about. */
export async function named<T>(sent: Promise<T>): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    const { errors = [] } = (error instanceof TaskyardError ? error.details : {}) as {
      errors?: { line: number; message: string }[];
    };
    for (const { line, message } of errors) complain(`line ${line}: ${message}`);
    throw error;
  }
}

/** Says how much is new and how much was there. */
export function tell(answer: ImportAnswer, { json, dryRun }: ImportOptions): void {
  if (json) return printJson(answer);
  print(`${dryRun ? 'would create' : 'created'}: ${countsOf(answer.created)}`);
  print(`already there: ${countsOf(answer.existing)}`);
}

function countsOf(counts: object): string {
  const said = Object.entries(counts).filter(([, count]) => count > 0) as [string, number][];
  return said.map(([kind, count]) => `${count} ${pluralOf(kind, count)}`).join(', ') || 'nothing';
}

const pluralOf = (kind: string, count: number): string =>
  count === 1 ? kind : kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
