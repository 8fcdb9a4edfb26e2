import type { SourceFile } from './source-files.js';

const MOST_COLUMNS = 120;
const SMALL_LINES = 20;
const MOST_SMALL_FILES = 40;
const MOST_DOUBLE_CASTS = 3;
const mayBeSmall = /\.(module|tool|toolset|entity|dto|spec)\.ts$/;
const bannedNames = /(?<!An)chore|insist|heed|keeps_?out|\bwish/i;

/** Lines that Prettier cannot break: strings, SQL and comments. */
export function widthViolations(files: readonly SourceFile[]): string[] {
  return lineViolations(files, (line) => [...line].length > MOST_COLUMNS, `is beyond ${MOST_COLUMNS} columns`);
}

/** All small files, where there are too many of them. Those that are small by their role are none. */
export function scatterViolations(files: readonly SourceFile[]): string[] {
  const small = files.filter(({ path, lines }) => lines < SMALL_LINES && !mayBeSmall.test(path));
  if (small.length < MOST_SMALL_FILES) return [];
  return small.map(({ path, lines }) => `${path}: ${lines} lines; fold it into its importer`);
}

/** SQL names its columns. */
export function selectViolations(files: readonly SourceFile[]): string[] {
  return lineViolations(files, (line) => /\bSELECT\s+(DISTINCT\s+)?(\w+\.)?\*/.test(line), 'selects every column');
}

/** Words that are not the field's, wherever they stand. */
export function wordViolations(files: readonly SourceFile[]): string[] {
  return lineViolations(files, (line) => bannedNames.test(line), 'says a word that is not ours');
}

/** Casts that hide what a type could say. */
export function castViolations(files: readonly SourceFile[]): string[] {
  const double = lineViolations(files, (line) => line.includes('as unknown as'), 'casts past the types');
  const never = lineViolations(files, (line) => /\bas never\b/.test(line), 'casts to never');
  return double.length > MOST_DOUBLE_CASTS ? [...double, ...never] : never;
}

function lineViolations(files: readonly SourceFile[], isWrong: (line: string) => boolean, what: string): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) => (isWrong(line) ? [`${path}:${at + 1} ${what}: ${line.trim().slice(0, 100)}`] : [])),
  );
}
