import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { variables } from '../../src/config/variables.js';
import { errorCatalogue } from '../../src/platform/errors/error-catalogue.js';
import { readApiDocument } from '../support/api-document.js';
import { expectAcceptedFolder } from '../support/accepted-file.js';
import { referencePages } from '../support/reference-pages.js';

const root = path.join(import.meta.dirname, '../..');
const reference = referencePages(await readApiDocument());
const pages = [
  'README.md',
  'SECURITY.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8');
const there = (...names: string[]): boolean => existsSync(path.join(root, ...names));
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
/** As the forge makes the anchor of a heading. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

describe('the reference', () => {
  it('holds the tables that the code says: tools, rights, errors, settings, agents', () => {
    const files = Object.entries(reference).map(([name, text]) => [`${name}.md`, text]);
    expectAcceptedFolder('docs/reference', Object.fromEntries(files) as Record<string, string>, ['mistakes.md']);
  });

  it('explains every setting and every error code', () => {
    const { settings, errors } = reference;
    expect(Object.keys(variables).filter((name) => !settings.includes(`| \`${name}\` |`))).toEqual([]);
    expect(Object.keys(errorCatalogue).filter((code) => !errors.includes(`| \`${code}\` |`))).toEqual([]);
  });
});

describe('the README', () => {
  it('is a page and a half', () => {
    expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(9_300);
  });
});

describe.each(pages)('%s', (page) => {
  const text = textOf(page);
  const matches = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

  it('links to files and headings that exist', () => {
    const links = matches(/\]\((?!https?:)([^)]+)\)/g).map((link) => link.split('#'));
    const missing = links.filter(([file = '', anchor]) => {
      const target = file === '' ? page : path.join(path.dirname(page), file);
      return !there(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(missing).toEqual([]);
  });

  it('names only scripts, files and settings that exist', () => {
    const commands = matches(/npm (?:run )?([a-z][a-z0-9:-]*)/g);
    expect(commands.filter((name) => !['ci', 'install', 'audit'].includes(name) && !(name in scripts))).toEqual([]);
    expect(matches(/`(test:[a-z0-9-]+)`/g).filter((name) => !(name in scripts))).toEqual([]);
    expect(
      matches(/`((?:src|test|migrations|docker|scripts|docs)\/[\w./-]*)`/g).filter((file) => !there(file)),
    ).toEqual([]);
    expect(matches(/\b([A-Z]+(?:_[A-Z]+)+)=/g).filter((name) => !isSetting(name))).toEqual([]);
  });

  it('has no line beyond 120 columns, but for tables', () => {
    expect(text.split('\n').filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
  });
});

/** A setting, its `_FILE`, or a variable of the compose file. */
const isSetting = (name: string): boolean =>
  name.replace(/_FILE$/, '') in variables ||
  name in variables ||
  ['NODE_IMAGE', 'POSTGRES_IMAGE', 'TOKEN_ENDPOINT'].includes(name);
