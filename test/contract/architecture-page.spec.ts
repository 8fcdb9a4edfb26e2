import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { floorOfRoom } from '../support/architecture-floors.js';
import { readSources } from '../support/source-files.js';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/architecture.md'), 'utf8');
const sources = new Map(readSources('src').map((file) => [file.path, file]));

/** The text below a heading, up to the next one of its level or above. */
function below(heading: string): string {
  const level = /^#+/.exec(heading)![0].length;
  const [, text = ''] = page.split(`\n${heading}\n`);
  return text.split(new RegExp(`\\n#{1,${level}} `))[0]!;
}
/** The files of a way, in the order in which they are named. */
const filesOf = (heading: string): string[] =>
  [...below(heading).matchAll(/^\d+\. `(src\/[^`]+)`: /gm)].map(([, file]) => file!);

const isLinked = (one: string, other: string): boolean => imports(one).includes(other) || imports(other).includes(one);
const imports = (file: string): (string | undefined)[] =>
  (sources.get(file)?.imports ?? []).map(({ target }) => target);

describe('the page about the architecture', () => {
  it('names every room, on its floor', () => {
    const named = Object.entries({ 0: '', 1: '', 2: '', 3: '', 4: '', 5: '' }).flatMap(([floor]) => {
      const heading = page.split('\n').find((line) => line.startsWith(`### Floor ${floor}: `));
      expect(heading).toBeDefined();
      return [...below(heading!).matchAll(/^\| `([a-z-]+)\/` +\| /gm)].map(
        ([, room]) => [room!, Number(floor)] as const,
      );
    });
    expect(Object.fromEntries(named)).toEqual(floorOfRoom);
    expect(new Set(named.map(([room]) => room)).size).toBe(named.length);
  });

  it.each([
    ['## The way of a call', 12],
    ['## The way of a turn', 12],
  ])('%s leads from file to file', (heading, least) => {
    const files = filesOf(heading);
    expect(files.length).toBeGreaterThanOrEqual(least);
    expect(files.filter((file) => !sources.has(file))).toEqual([]);
    const lost = files
      .slice(1)
      .filter((file, at) => !files.slice(0, at + 1).some((earlier) => isLinked(earlier, file)));
    expect(lost).toEqual([]);
  });
});
