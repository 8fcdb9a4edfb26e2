import { type DiffLine, LEAST_CONTEXT, type Stretch } from './unified-diff.js';

/** What is shown of a diff: what git shows around each change, and the stretches that were unfolded.
 *  @param isWhole the diff has every line of the file */
export function folded(lines: readonly DiffLine[], open: readonly Stretch[], isWhole: boolean): Folds {
  const isShown = shownOf(lines, open);
  const folds = new Folds(isWhole);
  for (const [place, line] of lines.entries()) {
    if (line.start) folds.begin(line.start, line.text);
    else if (isShown[place]) folds.show(line);
    else folds.skip(line);
  }
  return folds;
}

const RANGES = /^@@.*?@@/;
/** A line of the former side that names what follows, as git finds it, which says so of its own hunks alone. */
const NAMES = /^[a-z_$]/i;
const LONGEST_NAME = 80;

/** Hunks as they are put together from lines, with what is left out between them. */
class Folds {
  readonly lines: DiffLine[] = [];
  /** Numbers of the next line on both sides. */
  private next = { old: 1, new: 1 };
  private shownUpTo = 0;
  /** What the next hunk stands in. */
  private heading = '';
  private hunk: DiffLine | null = null;

  constructor(private readonly isWhole: boolean) {}

  begin(start: NonNullable<DiffLine['start']>, text: string): void {
    this.hunk = null;
    this.next = { ...start };
    this.heading = text.replace(RANGES, '');
  }

  show(line: DiffLine): void {
    this.hunk ??= this.headed();
    this.lines.push(line);
    this.pass(line);
    this.shownUpTo = this.next.new - 1;
    const { start } = this.hunk;
    const heading = this.hunk.text.replace(RANGES, '');
    this.hunk.text = `@@ -${sizeOf(start!.old, this.next.old)} +${sizeOf(start!.new, this.next.new)} @@${heading}`;
  }

  skip(line: DiffLine): void {
    this.hunk = null;
    this.pass(line);
  }

  /** What is left out at the end; where it ends is not known before the whole file is there. */
  get rest(): Stretch | null {
    const from = this.shownUpTo + 1;
    if (this.isWhole) return this.next.new > from ? { from, to: this.next.new - 1 } : null;
    const isEnd = this.lines.slice(-LEAST_CONTEXT).some(({ kind }) => kind !== 'context');
    return isEnd ? null : { from, to: Infinity };
  }

  private headed(): DiffLine {
    const gap = { from: this.shownUpTo + 1, to: this.next.new - 1 };
    const head: DiffLine = { kind: 'hunk', text: this.heading, old: null, new: null, start: { ...this.next } };
    if (gap.to >= gap.from) head.gap = gap;
    this.lines.push(head);
    return head;
  }

  private pass({ text, old, new: now }: DiffLine): void {
    if (this.isWhole && old !== null && NAMES.test(text)) this.heading = ` ${text.trimEnd().slice(0, LONGEST_NAME)}`;
    if (old !== null) this.next.old = old + 1;
    if (now !== null) this.next.new = now + 1;
  }
}

const sizeOf = (start: number, next: number) => `${start},${next - start}`;

function shownOf(lines: readonly DiffLine[], open: readonly Stretch[]): boolean[] {
  const isOpen = ({ new: now }: DiffLine) => now !== null && open.some(({ from, to }) => now >= from && now <= to);
  const isShown = lines.map(isOpen);
  const mark = (places: number[]) => {
    let since = Infinity;
    for (const place of places) {
      const { kind, start } = lines[place]!;
      since += 1;
      if (kind === 'added' || kind === 'deleted') since = 0;
      if (start) since = Infinity;
      if (since <= LEAST_CONTEXT) isShown[place] = true;
    }
  };
  const places = [...lines.keys()];
  mark(places);
  mark(places.reverse());
  return isShown;
}
