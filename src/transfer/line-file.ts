import { type FileHandle, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';

export interface Line {
  /** Beginning at 1, as editors count. */
  number: number;
  text: string;
}

/** In bytes: more than the longest texts of one record. */
const MAX_LINE = 16 * 1024 * 1024;
const READ_AT_ONCE = 256 * 1024;
const LINE_FEED = 10;

/** Lines that a caller sent, on disk: they are read twice, so that no transaction waits for a slow caller. The file has
 *  no name and is gone with its handle, also when the server dies. */
export class LineFile {
  private constructor(private readonly handle: FileHandle) {}

  /** @param folder of the server's own, made where it is missing */
  static async receive(body: Readable, folder: string): Promise<LineFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = path.join(folder, `import-${crypto.randomUUID()}`);
    const handle = await open(name, 'wx+', 0o600);
    await unlink(name);
    try {
      await writeFile(handle, body);
      return new LineFile(handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Read by hand: a handle waits at its close for every stream that was made of it. */
  private async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ;) {
      const { bytesRead, buffer } = await this.handle.read(Buffer.allocUnsafe(READ_AT_ONCE), 0, READ_AT_ONCE, position);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      position += bytesRead;
    }
  }

  /** From the beginning, without blank ones. @param refuse called for a line that is too long, which is the last */
  async *lines(refuse: (number: number, message: string) => void): AsyncGenerator<Line> {
    let number = 1;
    let parts: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.chunks()) {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
        const text = textOf([...parts, chunk.subarray(from, end)]);
        if (text !== '') yield { number, text };
        [parts, bytes, from] = [[], 0, end + 1];
        number += 1;
      }
      parts.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > MAX_LINE) return refuse(number, `is longer than ${MAX_LINE} bytes`);
    }
    const text = textOf(parts);
    if (text !== '') yield { number, text };
  }
}

const textOf = (parts: Buffer[]): string => Buffer.concat(parts).toString('utf8').trim();
