import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, exits } from '../exits.js';
import { Folder, isRepository } from '../folder.js';
import { type ImportOptions, sendLines, tell } from '../sent-lines.js';
import { complain } from '../output.js';
import type { Session } from '../session.js';
import { type Imported, linesOf, type Place } from './lines.js';
import { ageOf, readRecords } from './records.js';
import { SourceDatabase } from './source-database.js';

/** Imports what a database of Vibe Kanban holds, of whatever age it is.
 *  @throws CommandFailure where projects are left out, once the others are imported */
export async function importDatabase(session: Session, file: string, options: ImportOptions): Promise<void> {
  const { lines, missing, homeless } = await readDatabase(session, file, options);
  for (const { project, paths } of missing) complain(`${project} is left out: ${paths.join(', ')} is not found`);
  if (homeless > 0) complain(`workspaces left out, as their repository is gone: ${homeless}`);
  const text = lines.map((line) => `${JSON.stringify(line)}\n`);
  if (lines.length > 2) tell(await sendLines(session, new Blob(text), options), options);
  const [first] = missing.flatMap(({ paths }) => paths);
  if (first !== undefined)
    throw new CommandFailure(
      `${missing.length === 1 ? 'a project is' : `${missing.length} projects are`} left out`,
      exits.failed,
      `taskyard import --from vibe-kanban ${file} --map ${first}=PATH`,
    );
}

async function readDatabase(session: Session, file: string, { map = [] }: ImportOptions): Promise<Imported> {
  const moved = new Map(map.map(movedPath));
  const source = SourceDatabase.open(file);
  try {
    complain(`a database of Vibe Kanban, of ${ageOf(source)}`);
    return await linesOf(readRecords(source), (given) => placeOf(session, moved.get(given) ?? given));
  } finally {
    source.close();
  }
}

/** @throws CommandFailure where it is not OLD=NEW */
function movedPath(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  throw new CommandFailure(`"${text}" is not OLD=NEW`, exits.usage, 'taskyard import --map OLD=NEW');
}

/** A server on this machine reads the repository here; another one clones its remote. Null where there is none. */
async function placeOf({ isHere }: Session, given: string): Promise<Place | null> {
  if (/^\w+:\/\/|^[\w.-]+@[\w.-]+:/.test(given)) return { url: given };
  const folder = path.resolve(given);
  if (!isRepository(folder)) return null;
  if (isHere) return { path: realpathSync(folder) };
  const url = await new Folder(folder).remote();
  return url === null ? null : { url };
}
