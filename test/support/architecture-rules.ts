import type { SourceFile, SourceImport } from './source-files.js';

const childProcessPlaces = /^src\/(git|platform\/(process|database\/embedded))\//;
/** A program of its own: it runs as an agent does, in another process, or in another container. */
const shippedProgram = /^src\/(executors\/demo\/demo-[a-z]+|platform\/process\/cell-program)\.mjs$/;
const typeormPlaces = /^migrations\/|^src\/(migration|platform\/database)\/|\.(repository|entity)\.ts$/;
const nestTypeormPlaces = /^src\/platform\/database\/|\.(repository|entity|module)\.ts$/;
const vagueNames = /(^|[/.-])(utils?|helpers?|common|shared|misc)([/.-]|$)/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const mostLines = 250;

/** What only certain places may use: the environment, child processes, the object mapper, Nest's own exceptions. */
export function placeViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...(file.readsEnvironment && !file.path.startsWith('src/config/') && !shippedProgram.test(file.path)
      ? [`${file.path}: process.env is read only in src/config`]
      : []),
    ...file.imports.flatMap((one) => misplaced(file.path, one) ?? []).map((rule) => `${file.path}: ${rule}`),
  ]);
}

function misplaced(path: string, { specifier, names }: SourceImport): string | undefined {
  if (/^(node:)?child_process$/.test(specifier) && !childProcessPlaces.test(path) && !shippedProgram.test(path)) {
    return 'child_process is used only in platform/process, git and the embedded database';
  }
  if (/^typeorm(\/|$)/.test(specifier) && !typeormPlaces.test(path)) {
    return 'typeorm is used only in repositories, entities, platform/database, migration and migrations';
  }
  if (specifier === '@nestjs/typeorm' && !nestTypeormPlaces.test(path)) {
    return '@nestjs/typeorm is used only in modules, repositories, entities and platform/database';
  }
  if (specifier !== '@nestjs/common') return undefined;
  if (names.includes('forwardRef')) return 'forwardRef hides a cycle';
  const exceptions = names.filter((name) => name.endsWith('Exception'));
  return exceptions.length > 0 && !path.startsWith('src/platform/errors/')
    ? `${exceptions.join(', ')}: only platform/errors knows the exceptions of Nest`
    : undefined;
}

export function sizeViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ lines }) => lines > mostLines)
    .map(({ path, lines }) => `${path}: ${lines} lines, at most ${mostLines} are allowed; it has two jobs`);
}

export function nameViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    if (vagueNames.test(path.slice(path.indexOf('/'))))
      return [`${path}: the name says nothing (no utils, helpers, common, shared, misc)`];
    return path.split('/').every((part) => kebabCase.test(part)) ? [] : [`${path}: names are kebab-case`];
  });
}

export function medianLines(files: readonly SourceFile[]): number {
  const sorted = files.map(({ lines }) => lines).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
