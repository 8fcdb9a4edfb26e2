import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { identityOf, isLive } from './process-identity.js';

let joined = 0;

/** Notes that this process uses the server, so that only its last user stops it.
 *  @returns the note, to be handed to `leave` */
export function join(home: string): string {
  const folder = folderOf(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  joined += 1;
  const note = path.join(folder, `${process.pid}.${joined}`);
  writeFileSync(note, identityOf(process.pid)!);
  return note;
}

/** @returns whether nobody else uses the server; notes of dead processes are removed on the way. */
export function leave(home: string, note: string): boolean {
  rmSync(note, { force: true });
  const notes = readdirSync(folderOf(home)).map((name) => path.join(folderOf(home), name));
  const dead = notes.filter((other) => !isLive(readFileSync(other, 'utf8')));
  for (const other of dead) rmSync(other, { force: true });
  return dead.length === notes.length;
}

function folderOf(home: string): string {
  return path.join(home, 'users');
}
