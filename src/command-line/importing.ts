import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Schemas, TaskyardError } from '../client/index.js';
import { CommandFailure, exits } from './exits.js';
import { requireProject } from './folder.js';
import { complain, print, printJson } from './output.js';
import { type CommonOptions, openSession, type Session } from './session.js';

export interface ImportOptions extends CommonOptions {
  from?: 'vibe-kanban' | 'github';
  map?: string[];
  dryRun?: boolean;
  project?: string;
  repo: string;
}

type Answer = Schemas['ImportOutput'];
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Imports a file of an export, or what another system holds. @param source a file, `-`, or owner/name on a forge */
export async function importFrom(source: string, options: ImportOptions): Promise<void> {
  const session = openSession(options);
  const { from } = options;
  if (from === 'vibe-kanban')
    return (await import('./vibe-kanban/importing.js')).importDatabase(session, source, options);
  const answer = from === 'github' ? await issuesOf(session, source, options) : await fileOf(session, source, options);
  tell(answer, options);
}

async function fileOf(session: Session, source: string, options: ImportOptions): Promise<Answer> {
  const content = source === '-' ? new Blob([await buffer(process.stdin)]) : await fileNamed(source);
  if (options.project === undefined) return sendLines(session, content, options);
  const { project_id } = await requireProject(session, options);
  const params = { path: { project_id }, query: queryOf(options) };
  return named(session.client.POST('/api/projects/{project_id}/tasks:import', { params, ...bodyOf(content) }));
}

/** Sends the lines of an export, which are read while they are sent. */
export function sendLines({ client }: Session, content: Blob, options: ImportOptions): Promise<Answer> {
  return named(client.POST('/api/imports', { params: { query: queryOf(options) }, ...bodyOf(content) }));
}

const queryOf = ({ dryRun }: ImportOptions): object => (dryRun ? { dry_run: true } : {});

/** The document calls the lines a text; a blob is read while it is sent. */
const bodyOf = (content: Blob) => ({
  body: content as unknown as string,
  bodySerializer: (body: string) => body,
  headers: NDJSON,
});

async function fileNamed(file: string): Promise<Blob> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile()) return openAsBlob(file);
  throw new CommandFailure(`there is no file ${file}`, exits.usage);
}

/** Names the lines that a refusal is about. */
async function named<T>(sent: Promise<T>): Promise<T> {
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

async function issuesOf(session: Session, repository: string, options: ImportOptions): Promise<Answer> {
  if (!/^[\w.-]+(\/[\w.-]+)+$/.test(repository))
    throw new CommandFailure(
      'say which repository: owner/name',
      exits.usage,
      'taskyard import --from github OWNER/NAME',
    );
  const { project_id } = await requireProject(session, options);
  return session.client.POST('/api/projects/{project_id}/issues:import', {
    params: { path: { project_id } },
    body: { repository, ...(options.dryRun && { dry_run: true }) },
  });
}

/** Says how much is new and how much was there. */
export function tell(answer: Answer, { json, dryRun }: ImportOptions): void {
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
