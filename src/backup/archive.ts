import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { extract, pack, type Pack } from 'tar-stream';

/** Rows are text: a higher level costs a third more time for a twentieth of the bytes. */
const LEVEL = 4;

/** Why there is no backup, or nothing was restored: one line for the operator. */
export class BackupError extends Error {}

/** One file of an archive that is written. */
export interface Part {
  name: string;
  bytes: Buffer;
}

/** One that is read. Its bytes are gone once the next one is asked for. */
export interface FoundPart {
  name: string;
  bytes: AsyncIterable<Buffer>;
}

export const jsonPart = (name: string, content: unknown): Part => ({
  name,
  bytes: Buffer.from(JSON.stringify(content)),
});

/** A tar.gz, made as fast as it is read. Whoever destroys it ends the parts. */
export function archiveOf(parts: AsyncIterable<Part>): Readable {
  const tar = pack();
  void fill(tar, parts).catch((error: Error) => tar.destroy(error));
  return pipeline(tar, createGzip({ level: LEVEL }), () => undefined); // whoever reads it is told of an error
}

async function fill(tar: Pack, parts: AsyncIterable<Part>): Promise<void> {
  const gone = new Promise<never>((_, reject) => {
    tar.once('close', () => reject(new Error('nobody reads the backup any more')));
  });
  gone.catch(() => undefined);
  for await (const part of parts) await Promise.race([put(tar, part), gone]);
  tar.finalize();
}

const put = (tar: Pack, { name, bytes }: Part): Promise<void> =>
  new Promise((resolve, reject) => {
    tar.entry({ name, mode: 0o600 }, bytes, (error) => (error ? reject(error) : resolve()));
  });

/** @throws BackupError where the file is cut, damaged or no archive */
export async function* partsOf(file: string): AsyncGenerator<FoundPart> {
  const tar = extract();
  pipeline(createReadStream(file), createGunzip(), tar, () => undefined); // the loops are told of an error
  for await (const entry of unlessDamaged(file, tar)) {
    yield { name: entry.header.name, bytes: unlessDamaged(file, entry) };
    entry.resume(); // what nobody read
  }
}

async function* unlessDamaged<T>(file: string, source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw isOfTheFile(error) ? new BackupError(`${file} is no whole backup: ${(error as Error).message}`) : error;
  }
}

/** Errors of zlib have codes, those of the archive texts. */
const isOfTheFile = (error: unknown): boolean => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code.startsWith('Z_') || /unexpected end|invalid tar|premature close|writable stream closed/i.test(message);
};

export async function contentOf({ bytes }: FoundPart): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}
