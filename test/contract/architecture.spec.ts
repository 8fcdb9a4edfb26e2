import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cycles, floorViolations } from '../support/architecture-floors.js';
import { roomOfTable, sqlViolations } from '../support/architecture-tables.js';
import { medianLines, nameViolations, placeViolations, sizeViolations } from '../support/architecture-rules.js';
import { parseSource, readSources } from '../support/source-files.js';
import {
  castViolations,
  scatterViolations,
  selectViolations,
  widthViolations,
  wordViolations,
} from '../support/style-rules.js';

const everything = readSources('src', 'test', 'migrations');
const programs = readSources('bench', 'scripts');
const sources = everything.filter(({ path }) => path.startsWith('src/'));
const shipped = everything.filter(({ path }) => /^(src|migrations)\//.test(path) && !path.endsWith('.spec.ts'));

describe('the house', () => {
  it('is not empty', () => {
    expect(shipped.length).toBeGreaterThan(50);
    expect(shipped.flatMap(({ imports }) => imports.filter(({ target }) => target)).length).toBeGreaterThan(100);
  });

  it('imports only go down the floors', () => {
    expect(floorViolations(shipped)).toEqual([]);
  });

  it('no files and no folders import each other in a circle', () => {
    expect(cycles(shipped)).toEqual([]);
  });

  it('the environment, child processes, typeorm and the exceptions of Nest stay in their places', () => {
    expect(placeViolations(shipped)).toEqual([]);
  });

  it('SQL names tables of its own room and of rooms below', () => {
    expect(sqlViolations(shipped)).toEqual([]);
    const dump = readFileSync(path.join(import.meta.dirname, '../../migrations/schema.sql'), 'utf8');
    const tables = [...dump.matchAll(/^CREATE (?:TABLE|VIEW) (\w+)/gm)].map(([, name]) => name!);
    expect(Object.keys(roomOfTable).sort()).toEqual(tables.sort());
  });

  it('names are kebab-case and say something', () => {
    expect(nameViolations(everything)).toEqual([]);
  });

  it('inputs and outputs have names of their own, as the document of the API calls them by these alone', () => {
    const names = sources.flatMap(({ text }) => [...text.matchAll(/^export class (\w+(?:Input|Output)) /gm)]);
    const [all, distinct] = [names.map(([, name]) => name!), new Set(names.map(([, name]) => name!))];
    expect([all.length > 100, all.filter((name) => !distinct.delete(name))]).toEqual([true, []]);
  });

  it('no file is beyond 250 lines, and half of them are below 90', () => {
    expect(sizeViolations(everything)).toEqual([]);
    expect(medianLines(sources)).toBeLessThan(90);
  });

  it('no line is beyond 120 columns', () => {
    expect(widthViolations([...everything, ...programs])).toEqual([]);
  });

  it('fewer than 40 files are under 20 lines, but for modules, tools, entities and DTOs', () => {
    expect(scatterViolations(sources)).toEqual([]);
  });

  it('no SQL selects every column', () => {
    expect(selectViolations(sources)).toEqual([]);
  });

  it('no name is one that the glossary has replaced', () => {
    // Migrations say what a database was called once; these rules name the words.
    const spoken = [...sources, ...programs, ...everything.filter(({ path }) => /^test\/(e2e|system)\//.test(path))];
    expect(wordViolations(spoken)).toEqual([]);
  });

  it('no cast to never, and at most three past the types', () => {
    expect(castViolations(shipped)).toEqual([]);
  });
});

describe('the rules themselves', () => {
  const floor = (path: string, target: string) =>
    floorViolations([parseSource(path, `import { a } from '${target}';`)]);
  const place = (path: string, text: string) => placeViolations([parseSource(path, text)]);

  it.each([
    ['src/tasks/a.ts', '../work/b.js', 'floor 2 may not import floor 3'],
    ['src/platform/process/a.ts', '../../mcp/b.js', 'floor 0 may not import floor 1'],
    ['src/git/a.ts', '../workspaces/b.js', 'do not know each other'],
    ['src/mcp/a.ts', '../audit/b.js', 'do not know each other'],
    [
      'src/tasks/a.ts',
      '../attempts/b.js',
      'tasks may not know attempts: workers ← projects ← tasks ← thoughts · attempts',
    ],
    ['src/attempts/a.ts', '../thoughts/b.js', 'attempts may not know thoughts'],
    ['src/work/a.ts', '../runner/b.js', 'work may not know runner'],
    ['src/runner/a.ts', '../deliveries/b.js', 'runner may not know deliveries'],
    ['src/deliveries/a.ts', '../pull-requests/b.js', 'deliveries may not know pull-requests'],
    ['src/pull-requests/a.ts', '../work/b.js', 'pull-requests may not know work'],
    ['src/turns/a.ts', '../runner/b.js', 'turns may not know runner'],
    ['src/work/a.ts', '../main.js', 'floor 3 may not import floor 5'],
    ['src/tasks/a.ts', '../../migrations/index.js', 'only src/migration knows the migrations'],
    ['src/tasks/a.ts', '../../test/support/b.js', 'nothing outside src'],
    ['src/stuff/a.ts', './b.js', 'stands on no floor'],
  ])('%s may not import %s', (path, target, reason) => {
    expect(floor(path, target).join()).toContain(reason);
  });

  it.each([
    ['src/main.ts', './toolsets/kanban/b.js'],
    ['src/executions/a.ts', '../sessions/b.js'],
    ['src/approvals/a.ts', '../workers/b.js'],
    ['src/executors/shell/a.ts', '../b.js'],
    ['src/pull-requests/a.ts', '../deliveries/b.js'],
    ['src/work/a.ts', '../pull-requests/b.js'],
    ['src/runner/a.ts', '../turns/b.js'],
    ['src/migration/a.ts', '../../migrations/index.js'],
    ['src/workspaces/a.ts', '../git/b.js'],
  ])('%s may import %s', (path, target) => {
    expect(floor(path, target)).toEqual([]);
  });

  it('sees circles of files and of folders, but not the pair of errors and fields', () => {
    const house = (...imports: [string, string][]) =>
      cycles(imports.map(([path, target]) => parseSource(path, `export * from '${target}';`)));
    expect(house(['src/tasks/a.ts', './b.js'], ['src/tasks/b.ts', './a.js'])).toEqual([
      'src/tasks/a.ts → src/tasks/b.ts → src/tasks/a.ts: imports go in a circle',
    ]);
    expect(house(['src/git/a.ts', '../cluster/b.js'], ['src/cluster/c.ts', '../git/d.js'])).toHaveLength(1);
    expect(
      house(['src/platform/errors/a.ts', '../fields/b.js'], ['src/platform/fields/c.ts', '../errors/d.js']),
    ).toEqual([]);
  });

  it.each([
    ['src/tasks/a.ts', 'const port = process.env.PORT;', 'process.env'],
    ['src/tasks/a.ts', `const port = process['env']['PORT'];`, 'process.env'],
    ['src/tasks/a.ts', 'const { env } = process;', 'process.env'],
    ['src/tasks/a.ts', `import { env } from 'node:process';`, 'process.env'],
    ['src/tasks/a.ts', `import { spawn } from 'node:child_process';`, 'child_process'],
    ['src/tasks/a.ts', `const { spawn } = await import('child_process');`, 'child_process'],
    ['src/tasks/tasks.service.ts', `import type { EntityManager } from 'typeorm';`, 'typeorm'],
    ['src/tasks/tasks.service.ts', `import { InjectRepository } from '@nestjs/typeorm';`, '@nestjs/typeorm'],
    ['src/tasks/a.ts', `import { Injectable, NotFoundException as Gone } from '@nestjs/common';`, 'NotFoundException'],
    ['src/tasks/a.ts', `import { forwardRef } from '@nestjs/common';`, 'forwardRef'],
  ])('%s may not say %s', (path, text, reason) => {
    expect(place(path, text).join()).toContain(`${path}: `);
    expect(place(path, text).join()).toContain(reason);
  });

  it.each([
    ['src/config/environment.ts', 'const port = process.env.PORT;'],
    ['src/tasks/a.ts', '// process.env is read elsewhere\nconst pid = process.pid;'],
    ['src/git/a.ts', `import { execFile } from 'node:child_process';`],
    ['src/tasks/tasks.repository.ts', `import { DataSource } from 'typeorm';`],
    ['src/tasks/tasks.module.ts', `import { TypeOrmModule } from '@nestjs/typeorm';`],
    ['src/platform/errors/a.ts', `import { HttpException } from '@nestjs/common';`],
  ])('%s may say %s', (path, text) => {
    expect(place(path, text)).toEqual([]);
  });

  it('sees long files, vague names and other spellings', () => {
    expect(sizeViolations([parseSource('src/a.ts', '\n'.repeat(251))])).toEqual([
      'src/a.ts: 251 lines, at most 250 are allowed; it has two jobs',
    ]);
    const names = ['src/tasks/task-utils.ts', 'src/common/a.ts', 'src/tasks/TaskList.ts', 'src/tasks/task-list.ts'].map(
      (path) => parseSource(path, ''),
    );
    expect(nameViolations(names)).toHaveLength(3);
  });

  const wrong = (rule: (files: ReturnType<typeof parseSource>[]) => string[], text: string) =>
    rule([parseSource('src/tasks/a.ts', text)]).length;
  it.each([
    ['wide lines', widthViolations, `// ${'x'.repeat(118)}`, `// ${'x'.repeat(117)}`],
    ['SELECT *', selectViolations, 'sql`SELECT t.* FROM tasks t`', 'sql`SELECT count(*) FROM tasks`'],
    ['old words', wordViolations, 'const chores = 1;', 'const jobs = 1;'],
    [
      'tables of rooms above',
      sqlViolations,
      'sql`DELETE FROM workers w USING deliveries d`',
      'sql`FROM events, attempts`',
    ],
    ['casts to never', castViolations, 'f(x as never);', 'f(x as unknown as string);'],
    ['many double casts', castViolations, 'x as unknown as A;\n'.repeat(4), 'x as unknown as A;\n'.repeat(3)],
    ['scatter', (files) => scatterViolations(Array.from({ length: 40 }, () => files[0]!)), '//\n', '//\n'.repeat(20)],
  ] as [string, (files: ReturnType<typeof parseSource>[]) => string[], string, string][])(
    'see %s, and nothing else',
    (_, rule, bad, good) => {
      expect(wrong(rule, bad)).toBeGreaterThan(0);
      expect(wrong(rule, good)).toBe(0);
    },
  );
});
