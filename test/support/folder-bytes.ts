import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { GitRepository } from './git-repository.js';

type Bytes = Record<string, string>;

/** Every file and link below a folder by its name there: its mode and what it holds. Nothing is followed.
 *  @param isLeftOut told the name of each folder and file */
export function bytesBelow(root: string, isLeftOut: (name: string) => boolean = () => false, folder = ''): Bytes {
  const found: Bytes = {};
  for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (isLeftOut(name)) continue;
    if (entry.isDirectory()) Object.assign(found, bytesBelow(root, isLeftOut, name));
    else found[name] = digest(path.join(root, name));
  }
  return found;
}

export function digest(file: string): string {
  const stat = lstatSync(file);
  const content = stat.isSymbolicLink() ? readlinkSync(file) : readFileSync(file);
  return `${stat.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`;
}

/** What the server itself writes for an attempt into a repository of a user. */
const OF_ATTEMPTS = /^\.git\/(objects|(logs\/)?refs\/(heads\/ty|taskyard))(\/|$)/;

/** Keeps a user's repository, checkout and all, to be compared later, byte for byte.
 *  @param target a branch that a landing may move
 *  @returns what fails where anything but this and branches of attempts has changed, or an object is gone or another */
export function untouched({ dir }: GitRepository, target?: string): () => void {
  const isMeant = (name: string) => OF_ATTEMPTS.test(name) || name.endsWith(`refs/heads/${target}`);
  const read = () => bytesBelow(dir, isMeant);
  const objects = () => bytesBelow(path.join(dir, '.git/objects'));
  const before = { files: read(), objects: objects() };
  return () => {
    expect(read()).toEqual(before.files);
    expect(objects()).toMatchObject(before.objects);
  };
}
