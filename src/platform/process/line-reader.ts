import type { OutputLine, OutputStream } from './process-types.js';

/** Bytes of UTF-8 one OutputLine may hold. */
export const maxLineBytes = 65_536;

const replacement = '\uFFFD';
const encoder = new TextEncoder();

/** Turns the bytes of one stream into lines, however the bytes are chunked. Lines end with \n or \r\n; a bare \r stays
 *  in its line. Invalid UTF-8 and NUL, which a database text cannot hold, become U+FFFD. */
export class LineReader {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly part: Uint8Array;
  private pending = '';
  private pendingBytes = 0;

  /** @param maxBytes UTF-8 bytes of one line, at least 4 (one character). */
  constructor(
    private readonly stream: OutputStream,
    private readonly maxBytes = maxLineBytes,
  ) {
    this.part = new Uint8Array(maxBytes);
  }

  push(chunk: Uint8Array): OutputLine[] {
    return this.take(this.decoder.decode(chunk, { stream: true }));
  }

  /** The last line, when it had no newline. */
  end(): OutputLine[] {
    const lines = this.take(this.decoder.decode());
    if (this.pending !== '') this.closeLine(this.pending, lines);
    return lines;
  }

  private take(decoded: string): OutputLine[] {
    const pieces = withoutNul(decoded).split('\n');
    const rest = pieces.pop()!;
    const lines: OutputLine[] = [];
    for (const piece of pieces) this.closeLine(withoutCarriageReturn(this.pending + piece), lines);
    this.keep(rest, lines);
    return lines;
  }

  private closeLine(text: string, lines: OutputLine[]): void {
    lines.push({ stream: this.stream, text: this.cut(text, this.maxBytes, lines), continues: false });
    this.pending = '';
    this.pendingBytes = 0;
  }

  /** One byte over the limit may still be the \r of \r\n, so parts are given out only from the second one on. */
  private keep(text: string, lines: OutputLine[]): void {
    this.pending += text;
    this.pendingBytes += Buffer.byteLength(text);
    if (this.pendingBytes <= this.maxBytes + 1) return;
    this.pending = this.cut(this.pending, this.maxBytes + 1, lines);
    this.pendingBytes = Buffer.byteLength(this.pending);
  }

  /** Emits full parts until at most `allowed` bytes are left, which it returns. */
  private cut(text: string, allowed: number, lines: OutputLine[]): string {
    let start = 0;
    while (byteLengthExceeds(text, start, allowed)) {
      const { read } = encoder.encodeInto(text.slice(start, start + this.maxBytes), this.part);
      lines.push({ stream: this.stream, text: text.slice(start, start + read), continues: true });
      start += read;
    }
    return text.slice(start);
  }
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', replacement) : text;
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** Looks at no more than `allowed` + 1 characters, so that cutting a long text stays linear. */
function byteLengthExceeds(text: string, start: number, allowed: number): boolean {
  const units = text.length - start;
  if (units > allowed) return true;
  return units * 3 > allowed && Buffer.byteLength(text.slice(start)) > allowed;
}
