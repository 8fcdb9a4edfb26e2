import { createWriteStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from './exits.js';
import { requireProject } from './folder.js';
import { complain, printStream } from './output.js';
import { type CommonOptions, openSession } from './session.js';

export interface ExportOptions extends CommonOptions {
  project?: string;
  repo: string;
}

/** Writes a project as lines that `taskyard import` takes. @param file default: standard output */
export async function exportProject(file: string | undefined, options: ExportOptions): Promise<void> {
  if (file !== undefined && existsSync(file)) throw new CommandFailure(`${file} is there already`);
  const session = openSession(options);
  const { project_id, name } = await requireProject(session, options);
  const body: ReadableStream<Uint8Array> = await session.client.GET('/api/projects/{project_id}/export', {
    params: { path: { project_id } },
    headers: { accept: 'application/x-ndjson' },
    parseAs: 'stream',
  });
  if (file === undefined) return printStream(body);
  try {
    await pipeline(body, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    await rm(file, { force: true }); // half of one is none
    throw new CommandFailure(`the export broke off: ${(error as Error).message}`);
  }
  complain(`${name} is in ${file}`);
}
