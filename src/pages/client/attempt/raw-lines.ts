import type { LogEntry } from '../types.js';
import { type Span, spansOf } from './ansi.js';

/** Lines per chunk; the browser lays out a chunk when it comes near the screen. */
const CHUNK = 250;

interface Line {
  number: number;
  isError: boolean;
  html: string;
}

/** Writes raw entries into an element. Every line is a node, so that it can be found, copied and linked to, with the
 *  number of its entry from 1. As HTML, because a browser makes nodes of that in half the time and memory. */
export class RawLines {
  private chunk: HTMLElement | null = null;
  /** Number of the last line of each stream. */
  private readonly last = new Map<string, number>();
  private count = 0;

  constructor(private readonly box: HTMLElement) {}

  append(entries: readonly LogEntry[]): void {
    const fresh = new Map<number, Line>();
    for (const { entry_index, entry } of entries) {
      const html = spansOf(entry.content).map(piece).join('');
      const open = entry.continues ? this.last.get(entry.type) : undefined;
      const number = open ?? entry_index + 1;
      const line = fresh.get(number);
      if (line) line.html += html;
      else if (open === undefined) fresh.set(number, { number, isError: entry.type === 'stderr', html });
      else document.querySelector(`#L${number} .text`)?.insertAdjacentHTML('beforeend', html);
      this.last.set(entry.type, number);
    }
    this.addLines([...fresh.values()]);
  }

  private addLines(lines: readonly Line[]): void {
    for (let from = 0; from < lines.length;) {
      const used = this.count % CHUNK;
      if (this.chunk === null || used === 0) {
        this.chunk = document.createElement('div');
        this.chunk.className = 'chunk';
        this.box.append(this.chunk);
      }
      const own = lines.slice(from, from + CHUNK - used);
      this.chunk.insertAdjacentHTML('beforeend', own.map(lineOf).join(''));
      from += own.length;
      this.count += own.length;
    }
  }
}

const lineOf = ({ number, isError, html }: Line): string =>
  `<div class="line${isError ? ' stderr' : ''}" id="L${number}">` +
  `<a class="number" href="#L${number}" data-number="${number}" aria-label="Line ${number}"></a>` +
  `<span class="text">${html}</span></div>`;

const piece = ({ text, classes }: Span): string =>
  classes ? `<span class="${classes}">${escaped(text)}</span>` : escaped(text);

const MARKUP = { '&': '&amp;', '<': '&lt;' };
const escaped = (text: string): string => text.replace(/[&<]/g, (sign) => MARKUP[sign as keyof typeof MARKUP]);
