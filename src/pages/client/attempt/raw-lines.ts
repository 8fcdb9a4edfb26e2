import type { LogEntry } from '../types.js';
import { spansOf } from './ansi.js';

/** Lines per chunk; the browser lays out a chunk when it comes near the screen. */
const CHUNK = 250;

/** Writes raw entries into an element. Every line is a node, so that it can be found, copied and linked to, with the
 *  number of its entry from 1. */
export class RawLines {
  private chunk: HTMLElement | null = null;
  /** The last line of each stream. */
  private readonly last = new Map<string, HTMLElement>();
  private count = 0;

  constructor(private readonly box: HTMLElement) {}

  append(entries: readonly LogEntry[]): void {
    const fresh = document.createDocumentFragment();
    for (const { entry_index, entry } of entries) {
      const open = entry.continues ? this.last.get(entry.type) : undefined;
      const text = open ?? this.addLine(entry_index + 1, fresh, entry.type === 'stderr');
      for (const { text: content, classes } of spansOf(entry.content)) text.append(piece(content, classes));
      this.last.set(entry.type, text);
    }
    this.box.append(fresh);
  }

  private addLine(number: number, fresh: DocumentFragment, isError: boolean): HTMLElement {
    if (this.chunk === null || this.count % CHUNK === 0) {
      this.chunk = element('div', 'chunk');
      fresh.append(this.chunk);
    }
    this.count += 1;
    const line = element('div', isError ? 'line stderr' : 'line');
    line.id = `L${number}`;
    const link = element('a', 'number') as HTMLAnchorElement;
    link.href = `#L${number}`;
    link.dataset.number = String(number);
    link.setAttribute('aria-label', `Line ${number}`);
    const text = element('span', 'text');
    line.append(link, text);
    this.chunk.append(line);
    return text;
  }
}

function piece(content: string, classes: string): Node {
  if (!classes) return document.createTextNode(content);
  const span = element('span', classes);
  span.textContent = content;
  return span;
}

function element(name: string, classes: string): HTMLElement {
  const made = document.createElement(name);
  made.className = classes;
  return made;
}
