/** Part of a line with one style. `classes` is empty for plain text. */
export interface Span {
  text: string;
  classes: string;
}

// OSC (titles, links), then CSI, then the other two-character escapes; incomplete ones at the end are dropped too
const ESC = '\u001b';
const BELL = '\u0007';
const ESCAPES = new RegExp(
  `${ESC}(?:\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\|$)|\\[([0-9;:?]*)[ -/]*([@-~]|$)|[@-Z\\\\^_=>]|$)`,
  'g',
);
const OTHER_CONTROLS = /(?!\t)\p{Cc}/gu;
const STYLES: Record<number, string> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline' };
const OFF: Record<number, string[]> = { 22: ['bold', 'dim'], 23: ['italic'], 24: ['underline'] };

/** A terminal line as styled spans: colours and weights become classes, cursor movements and links are dropped, and
 *  only the last state of a progress bar is kept. */
export function spansOf(line: string): Span[] {
  const look = new Look();
  const spans: Span[] = [];
  const push = (text: string) => {
    const shown = text.replace(OTHER_CONTROLS, '');
    if (shown) spans.push({ text: shown, classes: look.classes() });
  };
  const kept = lastWritten(line);
  let from = 0;
  for (const match of kept.matchAll(ESCAPES)) {
    push(kept.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') look.change(match[1]!);
  }
  push(kept.slice(from));
  return spans;
}

/** Lines of a terminal without their colours and movements. */
export const plainText = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text
        .split('\n')
        .map((line) =>
          spansOf(line)
            .map((span) => span.text)
            .join(''),
        )
        .join('\n');
const PLAIN = new RegExp(`^[^${ESC}${BELL}\\r\\b]*$`);

/** The text after the last carriage return that is followed by text. */
function lastWritten(line: string): string {
  const text = line.replace(/\r+$/, '');
  return text.slice(text.lastIndexOf('\r') + 1);
}

/** Of 256 colours: sixteen with names, a cube of 6 × 6 × 6, and 24 greys. @returns one of the sixteen */
function ofPalette(colour: number): number {
  if (colour < 16) return colour;
  if (colour >= 232) return nearest(Array<number>(3).fill((colour - 232) * 10 + 8));
  const at = colour - 16;
  return nearest([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => step * 51));
}

/** The colour of the sixteen with the same of red, green and blue, bright or dark. */
function nearest(parts: number[]): number {
  const [red = 0, green = 0, blue = 0] = parts;
  const most = Math.max(red, green, blue);
  const bits = [red, green, blue].map((part, bit) => (part > most / 2 && most > 64 ? 1 << bit : 0));
  const hue = bits.reduce((sum, bit) => sum | bit, 0);
  if (hue === 7) return most > 208 ? 15 : most > 128 ? 7 : 8;
  return most > 192 ? hue + 8 : hue;
}

class Look {
  private styles = new Set<string>();
  private front = '';
  private back = '';

  classes(): string {
    return [...this.styles, this.front, this.back].filter(Boolean).join(' ');
  }

  /** @param parameters of one SGR sequence */
  change(parameters: string): void {
    const codes = parameters.split(/[;:]/).map(Number);
    for (let at = 0; at < codes.length; at += 1) {
      const code = codes[at]!;
      if (code === 38 || code === 48) at += this.extended(code, codes, at);
      else this.one(code);
    }
  }

  private one(code: number): void {
    if (code === 0) this.reset();
    else if (STYLES[code]) this.styles.add(STYLES[code]);
    else if (OFF[code]) for (const style of OFF[code]) this.styles.delete(style);
    else if (code === 39) this.front = '';
    else if (code === 49) this.back = '';
    else this.colour(code);
  }

  private colour(code: number): void {
    if (code >= 30 && code <= 37) this.front = `f${code - 30}`;
    else if (code >= 90 && code <= 97) this.front = `f${code - 82}`;
    else if (code >= 40 && code <= 47) this.back = `b${code - 40}`;
    else if (code >= 100 && code <= 107) this.back = `b${code - 92}`;
  }

  /** Of 256 colours and of 24 bits the nearest of the sixteen is shown.
   *  @returns how many codes it took besides its own */
  private extended(kind: number, codes: number[], at: number): number {
    const isWhole = codes[at + 1] === 2;
    const colour = isWhole ? nearest(codes.slice(at + 2, at + 5)) : ofPalette(codes[at + 2] ?? 7);
    if (kind === 38) this.front = `f${colour}`;
    else this.back = `b${colour}`;
    return isWhole ? 4 : 2;
  }

  private reset(): void {
    this.styles.clear();
    this.front = '';
    this.back = '';
  }
}
