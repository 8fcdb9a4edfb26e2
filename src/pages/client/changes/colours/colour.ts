import type { Coloured, Job } from './highlighter.js';
import type { Language } from './languages.js';
import type { Span } from './spans.js';

/** The file of the worker, named by its content when the page is built. */
declare const HIGHLIGHTER: string;

/** The text of an agent may be made to cost a highlighter hours. */
const PATIENCE_MS = 10_000;

type Draw = (text: number, from: number, lines: Span[][]) => void;

interface Asked {
  job: Job;
  draw: Draw;
}

/** In the order in which they are worked on. */
const asked = new Map<number, Asked>();
let worker: Worker | null = null;
let last = 0;
let patience: ReturnType<typeof setTimeout>;

/** Colours texts beside the page, some lines at a time. @returns ends it */
export function colour(language: Language, texts: string[], draw: Draw): () => void {
  const id = ++last;
  const one = { job: { id, language, texts }, draw };
  asked.set(id, one);
  post(one);
  return () => {
    if (asked.has(id)) asked.set(id, { ...one, draw: () => undefined });
  };
}

function post({ job }: Asked): void {
  if (worker === null) {
    worker = new Worker(new URL(HIGHLIGHTER, import.meta.url), { type: 'module' });
    worker.addEventListener('message', hear);
  }
  wait();
  worker.postMessage(job);
}

function hear({ data }: MessageEvent<Coloured>): void {
  wait();
  if ('isDone' in data) asked.delete(data.id);
  else asked.get(data.id)?.draw(data.text, data.from, data.lines);
}

/** What keeps the worker too long stays plain, and the rest goes to another one; so does what comes after a pause. */
function wait(): void {
  clearTimeout(patience);
  patience = setTimeout(() => {
    worker?.terminate();
    worker = null;
    const [first] = asked.keys();
    if (first !== undefined) asked.delete(first);
    asked.forEach(post);
  }, PATIENCE_MS);
}
