import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { CommandFailure, exits } from './exits.js';
import { requireProject } from './folder.js';
import { patientFetch } from './patient-fetch.js';
import { bodyOf, type ImportAnswer, type ImportOptions, named, queryOf, sendLines, tell } from './sent-lines.js';
import { openSession, type Session } from './session.js';

/** Imports a file of an export, or what another system holds. @param source a file, `-`, or owner/name on a forge */
export async function importFrom(source: string, options: ImportOptions): Promise<void> {
  const session = openSession(options, { fetch: patientFetch });
  const { from } = options;
  if (from === 'vibe-kanban')
    return (await import('./vibe-kanban/importing.js')).importDatabase(session, source, options);
  const answer = from === 'github' ? await issuesOf(session, source, options) : await fileOf(session, source, options);
  tell(answer, options);
}

async function fileOf(session: Session, source: string, options: ImportOptions): Promise<ImportAnswer> {
  const content = source === '-' ? new Blob([await buffer(process.stdin)]) : await fileNamed(source);
  if (options.project === undefined) return sendLines(session, content, options);
  const { project_id } = await requireProject(session, options);
  const params = { path: { project_id }, query: queryOf(options) };
  return named(session.client.POST('/api/projects/{project_id}/tasks:import', { params, ...bodyOf(content) }));
}

async function fileNamed(file: string): Promise<Blob> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile()) return openAsBlob(file);
  throw new CommandFailure(`there is no file ${file}`, exits.usage);
}

async function issuesOf(session: Session, repository: string, options: ImportOptions): Promise<ImportAnswer> {
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
