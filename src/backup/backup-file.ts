import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { contentOf, partsOf } from './archive.js';
import { BackupError } from './archive.js';
import { type Ending, ENDING, type Manifest, MANIFEST } from './manifest.js';

export interface BackupContent {
  manifest: Manifest;
  ending: Ending;
  /** Of the file. */
  bytes: number;
}

/** Reads all of it: what stands in it counts once its checksum is right.
 *  @throws BackupError where it is cut, damaged, or something else */
export async function inspectBackup(file: string): Promise<BackupContent> {
  const found: Record<string, Buffer> = {};
  for await (const part of partsOf(file)) {
    if (found[MANIFEST] === undefined && part.name !== MANIFEST) break;
    if (part.name === MANIFEST || part.name === ENDING) found[part.name] = await contentOf(part);
  }
  const { [MANIFEST]: manifest, [ENDING]: ending } = found;
  if (manifest === undefined) throw new BackupError(`${file} is no backup of Taskyard`);
  if (ending === undefined) throw new BackupError(`${file} is no whole backup: its end is missing`);
  return {
    manifest: JSON.parse(manifest.toString()) as Manifest,
    ending: JSON.parse(ending.toString()) as Ending,
    bytes: (await stat(file)).size,
  };
}

/** For its owner alone, and under its name once it is whole: until then there is the one of before, or none. */
export async function keepBackup(
  file: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<BackupContent> {
  const half = `${file}.${process.pid}.half`;
  try {
    await pipeline(bytes, createWriteStream(half, { flags: 'wx', mode: 0o600, flush: true }), { signal });
    const content = await inspectBackup(half);
    signal.throwIfAborted();
    await rename(half, file);
    return content;
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}
