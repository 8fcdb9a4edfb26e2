import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { ifThere } from '../git/if-there.js';

/** Agents may put links into these folders at any time, so each step goes through an open folder and follows no
 *  link. */
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface StateFile {
  path: string;
  bytes: number;
  /** Equal as long as the file has not changed. */
  fingerprint: string;
  read(): Promise<Buffer>;
}

/** Opens the newest matching file below a folder for the work. @param pattern path below the folder; `*` matches any
 *  part of one name @returns null if there is none */
export async function withStateFile<T>(
  folder: string,
  pattern: string,
  work: (file: StateFile) => Promise<T>,
): Promise<T | null> {
  const names = pattern.split('/');
  const handle = await ifThere(open(folder, constants.O_RDONLY | constants.O_DIRECTORY));
  return handle && within(handle, () => descend(handle, names, [], work));
}

/** Lends each file below a folder to the work, one after the other. @param depth how many folders deep it looks */
export async function eachStateFile(
  folder: string,
  depth: number,
  work: (file: StateFile) => Promise<void>,
): Promise<void> {
  const handle = await ifThere(open(folder, FOLDER));
  if (handle !== null) await within(handle, () => walk(handle, [], depth, work));
}

async function walk(
  folder: FileHandle,
  above: readonly string[],
  depth: number,
  work: (file: StateFile) => Promise<void>,
): Promise<void> {
  for (const found of await readdir(placeIn(folder, ''), { withFileTypes: true })) {
    if (!found.isFile() && !(found.isDirectory() && depth > 0)) continue;
    const entry = await openIn(folder, found.name, found.isFile() ? FILE : FOLDER);
    if (entry === null) continue;
    const path = [...above, found.name];
    await within(entry, async () => {
      if (found.isDirectory()) await walk(entry, path, depth - 1, work);
      else await lend(entry, path.join('/'), work);
    });
  }
}

/** Writes a file below a folder, replacing an existing one. @param path trusted, without `..` */
export async function writeStateFile(folder: string, path: string, content: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  const names = path.split('/');
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  await within(handle, () => put(handle, names, content));
}

/** Makes a folder below another one; what stands in its place and is no folder goes. @param path trusted */
export async function makeStateFolder(folder: string, path: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  await within(handle, () => make(handle, path.split('/')));
}

async function make(folder: FileHandle, [name, ...rest]: readonly string[]): Promise<void> {
  if (!name) return;
  const next = (await openIn(folder, name, FOLDER)) ?? (await madeIn(folder, name));
  await within(next, () => make(next, rest));
}

async function madeIn(folder: FileHandle, name: string): Promise<FileHandle> {
  await rm(placeIn(folder, name), { force: true });
  await mkdir(placeIn(folder, name), { mode: 0o700 });
  return open(placeIn(folder, name), FOLDER);
}

async function descend<T>(
  folder: FileHandle,
  [name = '', ...rest]: readonly string[],
  above: readonly string[],
  work: (file: StateFile) => Promise<T>,
): Promise<T | null> {
  for (const found of await matching(folder, name)) {
    const path = [...above, found];
    const entry = await openIn(folder, found, rest.length > 0 ? FOLDER : FILE);
    if (entry === null) continue;
    const result = await within(entry, () =>
      rest.length > 0 ? descend(entry, rest, path, work) : lend(entry, path.join('/'), work),
    );
    if (result !== null) return result;
  }
  return null;
}

/** In descending order, so that names beginning with a time are newest first. */
async function matching(folder: FileHandle, name: string): Promise<string[]> {
  if (!name.includes('*')) return [name];
  const [head = '', tail = ''] = name.split('*');
  const names = await readdir(placeIn(folder, ''));
  return names
    .filter((one) => one.length >= name.length - 1 && one.startsWith(head) && one.endsWith(tail))
    .sort()
    .reverse();
}

async function lend<T>(file: FileHandle, path: string, work: (file: StateFile) => Promise<T>): Promise<T | null> {
  const stat = await file.stat();
  if (!stat.isFile()) return null;
  return work({ path, bytes: stat.size, fingerprint: `${stat.size} ${stat.mtimeMs}`, read: () => file.readFile() });
}

async function put(folder: FileHandle, [name = '', ...rest]: readonly string[], content: Buffer): Promise<void> {
  if (rest.length > 0) {
    await mkdir(placeIn(folder, name), { mode: 0o700 }).catch(() => undefined); // it exists, or opening it fails
    const next = await open(placeIn(folder, name), FOLDER);
    return within(next, () => put(next, rest, content));
  }
  const partial = placeIn(folder, `.taskyard-${randomUUID()}`);
  try {
    await writeFile(partial, content, { flag: 'wx', mode: 0o600 });
    await rename(partial, placeIn(folder, name));
  } finally {
    await rm(partial, { force: true });
  }
}

const openIn = (folder: FileHandle, name: string, flags: number): Promise<FileHandle | null> =>
  open(placeIn(folder, name), flags).catch(() => null);

/** A name in the open folder, wherever its path leads by now. */
const placeIn = (folder: FileHandle, name: string): string => `/proc/self/fd/${folder.fd}/${name}`;

async function within<T>(handle: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await handle.close();
  }
}
