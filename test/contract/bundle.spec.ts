import { expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSources } from '../support/source-files.js';

const BESIDE = /new URL\('\.\/([\w./-]+)', import\.meta\.url\)/g;
const bundle = path.join(import.meta.dirname, '../../dist/bundle');

it('the bundle has what its modules look for beside themselves', () => {
  const shipped = readSources('src').filter(({ path: name }) => !/\.spec\.ts$|^src\/pages\/client\//.test(name));
  const wanted = shipped.flatMap(({ text }) => [...text.matchAll(BESIDE)].map(([, name]) => name!));
  expect(wanted).toContain('process-guard-program.mjs');
  expect(wanted.filter((name) => !existsSync(path.join(bundle, name)))).toEqual([]);
});
