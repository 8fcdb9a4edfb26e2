import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostRuleText, parseHostRule } from '../platform/network/host-rule.js';
import { Presets } from './presets.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'taskyard-presets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
const file = (content: unknown) => {
  const name = path.join(folder, 'presets.json');
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
};
const hosts = (presets: Presets, names: string[], allowed: string[] = [], models: string[] = []) =>
  presets.rules(names, allowed, models).map(hostRuleText);

describe('presets', () => {
  it('name hosts that are rules', () => {
    const presets = Presets.read('', ['git.example:3000']);
    expect(presets.names).toEqual(['model', 'forge', 'npm', 'pypi', 'crates', 'go', 'maven', 'apt']);
    for (const name of presets.names.slice(1)) {
      const found = hosts(presets, [name]);
      expect([name, found.length > 0, found.filter((host) => parseHostRule(host) === null)]).toEqual([name, true, []]);
    }
    expect(hosts(presets, ['forge'])).toContain('git.example:3000');
  });

  it('are joined with the hosts of a project, each once, the model by its executor', () => {
    const presets = Presets.read('', []);
    expect(hosts(presets, ['model', 'pypi'], ['pypi.org', 'a.example'], ['llm.example'])).toEqual([
      'llm.example',
      'pypi.org',
      'files.pythonhosted.org',
      'a.example',
    ]);
  });

  it('of a file are added, and replace those of their name', () => {
    const presets = Presets.read(
      file({ presets: { internal: ['*.example.com'], npm: ['npm.example'], model: ['m.example'] } }),
      [],
    );
    expect(hosts(presets, ['internal', 'npm', 'model'], [], ['llm.example'])).toEqual([
      '*.example.com',
      'npm.example',
      'm.example',
    ]);
    expect(presets.names).toContain('internal');
  });

  it.each([
    ['{', /PRESETS_FILE=".*" cannot be used/],
    [{ presets: { Internal: [] } }, /presets.Internal must be a name in lower case/],
    [{ presets: { internal: 'a.example' } }, /presets.internal must be a list of hosts/],
    [{ presets: { internal: ['https://a.example'] } }, /"https:\/\/a.example" is not host/],
    [{ presets: {}, lists: {} }, /lists is not known/],
  ])('of a wrong file stop the start: %j', (content, message) => {
    expect(() => Presets.read(file(content), [])).toThrow(message);
  });
});
