/** What is read by its bytes: a file on disk, or one that git holds. */
export interface FileBytes {
  size: number;
  /** Fewer bytes mean the end of the file. */
  read(start: number, length: number): Promise<Buffer>;
}

/** Lines to read, the first of a file being 1. */
export interface LineRange {
  start_line: number;
  /** Default: all that follow. */
  line_count?: number | undefined;
}

/** The bytes of some lines. */
export interface LineWindow {
  from: number;
  to: number;
}

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 10;

/** Where lines begin and end, the feed of the last one included. Beyond the last line there is nothing. */
export async function windowOf(file: FileBytes, { start_line, line_count }: LineRange): Promise<LineWindow> {
  const from = await afterFeeds(file, 0, start_line - 1);
  return { from, to: line_count === undefined ? file.size : await afterFeeds(file, from, line_count) };
}

/** The offset behind so many line feeds, or the end of the file. */
async function afterFeeds(file: FileBytes, start: number, feeds: number): Promise<number> {
  let left = feeds;
  for (let at = start; left > 0 && at < file.size;) {
    const chunk = await file.read(at, CHUNK_BYTES);
    if (chunk.length === 0) break;
    for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, feed + 1)) {
      left -= 1;
      if (left === 0) return at + feed + 1;
    }
    at += chunk.length;
  }
  return left > 0 ? file.size : start;
}
