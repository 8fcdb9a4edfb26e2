import type { Hmac } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { isSame } from './port-signature.js';

/** An answer is a line of JSON, then the large text as it is, then a signature over both. Empty lines come first, as a
 *  sign of life while the work takes. */
export interface AnswerHead {
  result?: unknown;
  error?: { code: string; details: Record<string, unknown>; hint: string };
  /** Bytes of the text after the line. */
  text_bytes: number;
}

const BEAT_MS = 2_000;
/** Beyond any answer within the caps of the port: 5 000 names of 4 KB twice, written as JSON. */
const MAX_HEAD_BYTES = 96 * 1024 * 1024;
const MAX_TEXT_BYTES = 16 * 1024 * 1024;
const SLICE = 64 * 1024;
const SIGNATURE_CHARACTERS = 64;
const LINE_FEED = 10;

/** @param field of the result that is sent after the JSON line */
export async function* writeAnswer(
  answer: Promise<Pick<AnswerHead, 'result' | 'error'>>,
  field: string | undefined,
  mac: Hmac,
): AsyncGenerator<string | Buffer> {
  yield* beats(answer);
  const { head, text } = parted(await answer, field);
  const line = `${JSON.stringify({ ...head, text_bytes: Buffer.byteLength(text) })}\n`;
  mac.update(line);
  yield line;
  for (let at = 0; at < text.length;) {
    const end = wholeCharacters(text, at + SLICE);
    const slice = Buffer.from(text.slice(at, end));
    mac.update(slice);
    yield slice;
    at = end;
  }
  yield mac.digest('hex');
}

async function* beats(answer: Promise<unknown>): AsyncGenerator<string> {
  const stop = new AbortController();
  const done = answer.then(() => true);
  try {
    while (!(await Promise.race([done, delay(BEAT_MS, false, { signal: stop.signal })]))) yield '\n';
  } finally {
    stop.abort();
    done.catch(() => undefined); // the reader of the answer sees why it failed
  }
}

function parted(answer: Pick<AnswerHead, 'result' | 'error'>, field: string | undefined) {
  const result = answer.result as Record<string, unknown> | undefined;
  const text = field === undefined ? undefined : result?.[field];
  return typeof text === 'string' && field !== undefined
    ? { head: { ...answer, result: { ...result, [field]: '' } }, text }
    : { head: answer, text: '' };
}

/** Not between the halves of a surrogate pair. */
const wholeCharacters = (text: string, at: number): number =>
  at < text.length && /[\uD800-\uDBFF]/.test(text[at - 1]!) ? at + 1 : Math.min(at, text.length);

/** Reads an answer as it arrives, and releases it only if the signature matches. */
export class AnswerReader {
  private readonly line: Buffer[] = [];
  private readonly decoder = new StringDecoder('utf8');
  private head: AnswerHead | null = null;
  private size = 0;
  private text = '';
  private missing = 0;
  private signature = '';

  constructor(private readonly mac: Hmac) {}

  /** @throws Error where it is no answer of the port, or too large */
  push(chunk: Buffer): void {
    let rest = this.head === null ? this.takeLine(chunk) : chunk;
    if (this.head !== null && this.missing > 0) rest = this.takeText(rest);
    if (rest.length > 0) this.signature += rest.toString('latin1');
    if (this.signature.length > SIGNATURE_CHARACTERS) throw new Error('it says more than it announced');
  }

  /** @param field where the text belongs. @throws Error where the answer is cut short or not the runner's */
  end(field: string | undefined): AnswerHead {
    if (this.head === null || this.missing > 0 || this.signature.length < SIGNATURE_CHARACTERS)
      throw new Error('its answer was cut short');
    if (!isSame(this.signature, this.mac.digest('hex')))
      throw new Error('its answer is not signed with CLUSTER_SECRET');
    if (field !== undefined && this.head.text_bytes > 0)
      (this.head.result as Record<string, unknown>)[field] = this.text + this.decoder.end();
    return this.head;
  }

  /** @returns the bytes after the header line */
  private takeLine(chunk: Buffer): Buffer {
    let start = 0;
    while (this.size === 0 && chunk[start] === LINE_FEED) start += 1;
    const end = chunk.indexOf(LINE_FEED, start);
    const part = chunk.subarray(start, end < 0 ? undefined : end + 1);
    this.size += part.length;
    if (this.size > MAX_HEAD_BYTES) throw new Error('its answer is too large');
    if (part.length > 0) this.line.push(part);
    if (end < 0) return Buffer.alloc(0);
    this.open(Buffer.concat(this.line.splice(0)));
    return chunk.subarray(end + 1);
  }

  private open(line: Buffer): void {
    this.mac.update(line);
    this.head = JSON.parse(line.toString('utf8')) as AnswerHead;
    const { text_bytes } = this.head;
    if (!Number.isInteger(text_bytes) || text_bytes < 0) throw new Error('its answer is not one of the port');
    if (text_bytes > MAX_TEXT_BYTES) throw new Error('its answer is too large');
    this.missing = text_bytes;
  }

  private takeText(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.missing);
    this.mac.update(part);
    this.text += this.decoder.write(part);
    this.missing -= part.length;
    return chunk.subarray(part.length);
  }
}
