import { isUtf8 } from 'node:buffer';

/** Shorter values are too common to be told from other text. */
const SHORTEST_SCRUBBED = 8;
const HIDDEN = '***';

/** Hides values in what a run says, before it is stored: as they are, and in the forms of JSON, URLs and base64. */
export class Scrubber {
  private readonly forms: string[];
  private readonly held = new Map<string, string>();

  constructor(values: readonly string[]) {
    const parts = values.flatMap((value) => [value, ...value.split(/\r?\n/)]);
    const hidden = parts.filter((part) => part.length >= SHORTEST_SCRUBBED);
    this.forms = [...new Set(hidden.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    let scrubbed = text;
    for (const form of this.forms) if (scrubbed.includes(form)) scrubbed = scrubbed.replaceAll(form, HIDDEN);
    return scrubbed;
  }

  /** In every text of a record. */
  record<T>(value: T): T {
    return this.forms.length === 0 ? value : (this.walk(value) as T);
  }

  /** Of a file; null where it holds a value and is no text, in which nothing can be replaced. */
  file(content: Buffer): Buffer | null {
    if (this.forms.length === 0) return content;
    if (isUtf8(content)) return Buffer.from(this.text(content.toString('utf8')));
    return this.forms.some((form) => content.includes(form)) ? null : content;
  }

  /** The next piece of a text that comes in several, named by `key`. Where it goes on, an end that may be the
   *  beginning of a value is held back until the next piece. */
  piece(key: string, text: string, goesOn: boolean): string {
    const scrubbed = this.text(this.rest(key) + text);
    const end = scrubbed.length - (goesOn ? this.begunAtEndOf(scrubbed) : 0);
    if (end < scrubbed.length) this.held.set(key, scrubbed.slice(end));
    return scrubbed.slice(0, end);
  }

  /** What is held back of a text that turns out to be at its end. */
  rest(key: string): string {
    const rest = this.held.get(key) ?? '';
    this.held.delete(key);
    return rest;
  }

  /** Length of the longest end of a text with which a value may begin. */
  private begunAtEndOf(text: string): number {
    let longest = 0;
    for (const form of this.forms)
      for (let at = text.length - form.length + 1; text.length - at > longest; at += 1) {
        at = text.indexOf(form[0]!, Math.max(0, at));
        if (at < 0) break;
        if (form.startsWith(text.slice(at))) longest = Math.max(longest, text.length - at);
      }
    return longest;
  }

  private walk(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((one) => this.walk(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.text(key), this.walk(one)]));
  }
}

function formsOf(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const inPath = encodeURIComponent(value);
  const inForm = new URLSearchParams({ '': value }).toString().slice(1);
  const urls = [inPath, inForm, inForm.replaceAll('+', '%20')];
  const lower = urls.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const base64 = [0, 1, 2].map((offset) => base64At(Buffer.from(value), offset));
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [value, escaped, JSON.stringify(escaped).slice(1, -1), ...urls, ...lower, ...base64, ...base64url];
}

/** What does not depend on the bytes around it, where so many bytes of a group of three come before. */
function base64At(value: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), value]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + value.length) * 8) / 6));
}
