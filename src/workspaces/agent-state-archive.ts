import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ifThere } from '../git/if-there.js';
import { AppError } from '../platform/errors/app-error.js';
import { eachStateFile, writeStateFile } from './state-files.js';

/** What a run may make a server read at once. */
const MAX_FILES = 5_000;
const MAX_DEPTH = 24;
const MAX_BYTES = 64 * 1024 * 1024;
/** What the port carries, in base64. */
const MAX_PACKED_BYTES = 11 * 1024 * 1024;
const BLOCK = 512;

/** Beside `home`: names of the files below it that were copied in, which are no part of an archive. */
const COPIED = 'copied.json';

/** @param folder what the agents of an attempt keep @param names below its `home` */
export async function noteCopied(folder: string, names: readonly string[]): Promise<void> {
  const before = await copiedInto(folder);
  if (names.every((name) => before.includes(name))) return;
  await writeStateFile(folder, COPIED, Buffer.from(JSON.stringify([...new Set([...before, ...names])])));
}

const copiedInto = async (folder: string): Promise<string[]> =>
  JSON.parse((await ifThere(readFile(path.join(folder, COPIED), 'utf8'))) ?? '[]') as string[];

/** A packed tar file, in base64, of what the agents of an attempt keep: as it lies below a home folder.
 *  @throws AppError agent_state_missing, agent_state_too_large */
export async function archiveAgentState(folder: string, attempt_id: string): Promise<{ archive: string }> {
  const home = path.join(folder, 'home');
  const copied = await copiedInto(folder);
  const blocks: Buffer[] = [];
  let [files, bytes] = [0, 0];
  for (const own of (await ifThere(readdir(home))) ?? [])
    await eachStateFile(path.join(home, own), MAX_DEPTH, async (file) => {
      if (copied.includes(`${own}/${file.path}`)) return;
      [files, bytes] = [files + 1, bytes + file.bytes];
      if (files > MAX_FILES || bytes > MAX_BYTES) throw tooLarge(attempt_id);
      blocks.push(...tarred(`${decodeURIComponent(own)}/${file.path}`, await file.read()));
    });
  if (files === 0) throw new AppError('agent_state_missing', { attempt_id });
  const packed = await promisify(gzip)(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]));
  if (packed.length > MAX_PACKED_BYTES) throw tooLarge(attempt_id);
  return { archive: packed.toString('base64') };
}

const tooLarge = (attempt_id: string): AppError =>
  new AppError('agent_state_too_large', { attempt_id, max_files: MAX_FILES, max_bytes: MAX_BYTES });

/** A file as in the tar files of GNU, whose names may be of any length. */
function tarred(name: string, content: Buffer): Buffer[] {
  const long = Buffer.byteLength(name) <= 100 ? [] : entry('././@LongLink', 'L', Buffer.from(`${name}\0`));
  return [...long, ...entry(name, '0', content)];
}

function entry(name: string, type: string, content: Buffer): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(Buffer.from(name).subarray(0, 100).toString('latin1'), 0, 'latin1');
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(Math.floor(Date.now() / 1_000), 11), 136);
  header.write(' '.repeat(8) + type, 148);
  header.write('ustar  \0', 257);
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  );
  return [header, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
