import hljs from 'highlight.js/lib/core';
import { GRAMMARS } from './grammars.js';
import type { Language } from './languages.js';
import { type Span, spansOf } from './spans.js';

/** Texts to be coloured, each by itself. */
export interface Job {
  id: number;
  language: Language;
  texts: string[];
}

/** Some lines of a text, from one on; or the end of a job. */
export type Coloured = { id: number; text: number; from: number; lines: Span[][] } | { id: number; isDone: true };

/** Of a message; the page draws by slabs, some in each frame. */
const LINES = 400;

const say = (coloured: Coloured) => postMessage(coloured);

let before = Promise.resolve();

/** A worker, so that no text of an agent keeps the page waiting: one job after the other. The grammars are those of
 *  highlight.js, under the BSD 3-Clause licence. */
addEventListener('message', ({ data }: MessageEvent<Job>) => {
  before = before.then(() => work(data));
});

async function work({ id, language, texts }: Job): Promise<void> {
  try {
    if (!hljs.getLanguage(language)) hljs.registerLanguage(language, (await GRAMMARS[language]()).default);
    for (const [text, content] of texts.entries()) {
      const lines = spansOf(hljs.highlight(content, { language, ignoreIllegals: true }).value);
      for (let from = 0; from < lines.length; from += LINES)
        say({ id, text, from, lines: lines.slice(from, from + LINES) });
    }
  } finally {
    say({ id, isDone: true });
  }
}
