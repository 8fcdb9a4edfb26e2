import type { Readable } from 'node:stream';

/** The lines of a stream of UTF-8 as they come. Only \n ends one: JSON may hold every other separator as it stands. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of input.setEncoding('utf8')) {
    const [first, ...more] = (chunk as string).split('\n');
    rest += first;
    for (const start of more) {
      yield rest;
      rest = start;
    }
  }
  if (rest !== '') yield rest;
}
