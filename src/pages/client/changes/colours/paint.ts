import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DiffLine } from '../unified-diff.js';
import { drawByFrames, leaveOut } from './by-frames.js';
import { colour } from './colour.js';
import { languageOf } from './languages.js';
import { piecesOf } from './pieces.js';
import type { Span } from './spans.js';

/** The colours of a diff, as far as they are there. */
export class Paint {
  private readonly spans: (Span[] | undefined)[] = [];
  private readonly watchers = new Set<(places: ReadonlySet<number>) => void>();

  of(place: number): Span[] | undefined {
    return this.spans[place];
  }

  put(found: ReadonlyMap<number, Span[]>): void {
    for (const [place, spans] of found) this.spans[place] = spans;
    const places = new Set(found.keys());
    this.watchers.forEach((watcher) => watcher(places));
  }

  watch(watcher: (places: ReadonlySet<number>) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

/** Has the lines of a file coloured, once they are drawn without. */
export function usePaint(path: string, lines: readonly DiffLine[]): Paint {
  const paint = useMemo(() => new Paint(), [lines]);
  useEffect(() => {
    const language = languageOf(path);
    const pieces = language === null ? [] : piecesOf(lines);
    if (language === null || pieces.length === 0) return;
    const texts = pieces.map(({ text }) => text);
    return colour(language, texts, (text, from, found) => {
      const { places } = pieces[text]!;
      const coloured = new Map<number, Span[]>();
      for (const [at, spans] of found.entries()) {
        const place = places[from + at] ?? null;
        if (place !== null && spans.length > 0) coloured.set(place, spans);
      }
      paint.put(coloured);
    });
  }, [path, lines]);
  return paint;
}

/** Draws a part again with each colour of its lines that comes. */
export function useColours(paint: Paint, own: ReadonlySet<number>): void {
  const [, setTimes] = useState(0);
  useEffect(() => {
    const redraw = () => setTimes((times) => times + 1);
    const stop = paint.watch((places) => {
      for (const place of places) if (own.has(place)) return drawByFrames(redraw);
    });
    return () => {
      stop();
      leaveOut(redraw);
    };
  }, [paint, own]);
}
