import { readFileSync } from 'node:fs';
import { checkerOf } from '../config/checked-file.js';
import { EnvironmentError } from '../config/environment.js';
import { type HostRule, parseHostRule } from '../platform/network/host-rule.js';

/** Lists of hosts by name, for what projects commonly need. */
const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  forge: [
    ...['github.com', '*.github.com', '*.githubusercontent.com', 'gitlab.com', '*.gitlab.com', 'bitbucket.org'],
    ...['*.bitbucket.org', 'codeberg.org', 'github.com:22', 'gitlab.com:22', 'bitbucket.org:22', 'codeberg.org:22'],
  ],
  npm: ['registry.npmjs.org', 'registry.yarnpkg.com', 'nodejs.org'],
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  crates: ['crates.io', 'index.crates.io', 'static.crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  maven: ['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'services.gradle.org'],
  apt: ['deb.debian.org', 'security.debian.org', 'archive.ubuntu.com', 'security.ubuntu.com', 'ports.ubuntu.com'],
};
/** The hosts that an executor needs for its model, which its adapter names. */
const MODEL = 'model';

interface PresetsFile {
  presets: Record<string, string[]>;
}

const check = checkerOf<PresetsFile>({
  type: 'object',
  properties: {
    presets: {
      type: 'object',
      propertyNames: { pattern: '^[a-z][a-z0-9_-]{0,63}$', must: 'must be a name in lower case, such as internal' },
      additionalProperties: {
        type: 'array',
        items: { type: 'string', must: 'must be host, *.host or host:port' },
        must: 'must be a list of hosts',
      },
      must: 'must be an object of lists by name',
    },
  },
  required: ['presets'],
  additionalProperties: false,
  must: 'must be an object such as {"presets": {}}',
});

/** The presets of this server: the built-in ones, and those of PRESETS_FILE, which replace them by name. */
export class Presets {
  private constructor(private readonly lists: Readonly<Record<string, readonly string[]>>) {}

  /** @param forgeHosts added to the preset `forge` @throws EnvironmentError of one line, which stops the start */
  static read(file: string, forgeHosts: readonly string[]): Presets {
    return new Presets({ ...BUILT_IN, forge: [...BUILT_IN.forge!, ...forgeHosts], ...readFile(file) });
  }

  get names(): string[] {
    return [MODEL, ...Object.keys(this.lists).filter((name) => name !== MODEL)];
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** @param modelHosts those of the executor @returns no duplicates; names that are not known give nothing */
  rules(names: readonly string[], allowedHosts: readonly string[], modelHosts: readonly string[]): HostRule[] {
    const ofPreset = (name: string) => this.lists[name] ?? (name === MODEL ? modelHosts : []);
    return [...new Set([...names.flatMap(ofPreset), ...allowedHosts])].flatMap((text) => parseHostRule(text) ?? []);
  }
}

function readFile(file: string): Record<string, string[]> {
  if (file === '') return {};
  try {
    const { presets } = check(JSON.parse(readFileSync(file, 'utf8')));
    for (const [name, hosts] of Object.entries(presets))
      for (const host of hosts)
        if (parseHostRule(host) === null)
          throw new Error(`presets.${name}: "${host}" is not host, *.host or host:port`);
    return presets;
  } catch (error) {
    throw new EnvironmentError(`PRESETS_FILE="${file}" cannot be used: ${(error as Error).message}`);
  }
}
