import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { variables } from '../../src/config/environment.js';
import { errorCatalogue } from '../../src/platform/errors/error-catalogue.js';
import { readApiDocument } from '../support/api-document.js';
import { expectAccepted } from '../support/accepted-file.js';
import { generatedSections, withSections } from '../support/readme-sections.js';

const sections = generatedSections(await readApiDocument());
const root = path.join(import.meta.dirname, '../..');
const readme = withSections(readFileSync(path.join(root, 'README.md'), 'utf8'), sections);
const matches = (pattern: RegExp): string[] => [...readme.matchAll(pattern)].map(([, found = '']) => found);

describe('the README', () => {
  it('holds the tables that the code says: tools, errors, settings', () => {
    expectAccepted('README.md', readme);
  });

  it('explains every setting and every error code', () => {
    const { settings, errors } = sections;
    expect(Object.keys(variables).filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
    expect(Object.keys(errorCatalogue).filter((code) => !errors.includes(`\`${code}\``))).toEqual([]);
  });

  it('has at most 240 lines beside its generated tables, none longer than 120 columns', () => {
    const lines = readme.split('\n').filter((line) => !line.startsWith('|'));
    expect(lines.length).toBeLessThanOrEqual(240);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  it('names only scripts, files and settings that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(
      matches(/npm (?:run )?([a-z][a-z0-9:]*)/g).filter(
        (name) => !['ci', 'install'].includes(name) && !(name in scripts),
      ),
    ).toEqual([]);
    expect(matches(/\[[^\]]+\]\((?!https?:)([^)#]+)/g).filter((file) => !existsSync(path.join(root, file)))).toEqual(
      [],
    );
    expect(
      matches(/`((?:src|test|migrations|docker|scripts)\/[\w./-]*)`/g).filter(
        (file) => !existsSync(path.join(root, file)),
      ),
    ).toEqual([]);
    expect(matches(/\b([A-Z]+(?:_[A-Z]+)+)=/g).filter((name) => !(name in variables))).toEqual([]);
  });
});
