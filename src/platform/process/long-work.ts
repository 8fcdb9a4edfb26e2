/** Characters. To read, check or write more of them at once takes milliseconds. */
export const LONG_TEXT = 65_536;

let last: Promise<unknown> = Promise.resolve();

/** Before work on a long text, whoever does it: one after the other, each in a turn of the event loop, so that a crowd
 *  of them leaves room for what is short. */
export function turnForLongWork(): Promise<unknown> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
