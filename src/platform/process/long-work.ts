/** Characters. Parsing, checking or writing more of them at once takes milliseconds. */
export const LONG_TEXT = 65_536;

let last: Promise<unknown> = Promise.resolve();

/** Await before work on a long text: such work runs one after the other, each in a turn of the event loop, so that
 *  short requests get through. */
export function turnForLongWork(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
