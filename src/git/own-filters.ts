import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, ifThere } from './if-there.js';

const PARTS = ['clean', 'smudge', 'process', 'required'] as const;
type Driver = Partial<Record<(typeof PARTS)[number], string>>;
const LFS: Driver = {
  clean: 'git-lfs clean -- %f',
  smudge: 'git-lfs smudge -- %f',
  process: 'git-lfs filter-process',
  required: 'true',
};
// What git-lfs itself would run for a repository.
const LFS_COMMANDS = /^lfs\.(extension\.|customtransfer\.|.*standalonetransferagent$)/;

type Env = Readonly<Record<string, string>>;

/** Runs a git command that reads no files, and returns its output. */
type Reader = (args: readonly string[]) => Promise<string>;

interface Setting {
  isOwn: boolean;
  key: string;
  value: string;
}

/** Environment that disables the filters of a repository's own configuration: whoever can write it, or plant a
 *  repository, could otherwise run programs as the server. Filters of user and system stay; git-lfs runs its real
 *  commands. */
export async function withoutOwnFilters(
  read: Reader,
  dir: string,
  env: Env,
  searchPath: string,
): Promise<Record<string, string>> {
  if (!(await mayHaveFilters(dir, env))) return {};
  const settings = await readSettings(read);
  const drivers = new Set(settings.filter(({ isOwn }) => isOwn).flatMap(({ key }) => driverOf(key) ?? []));
  const isLfsTampered = settings.some(({ isOwn, key }) => isOwn && LFS_COMMANDS.test(key));
  if (isLfsTampered) drivers.add('lfs');
  const overrides: [string, string][] = [];
  for (const name of drivers) {
    const isPinned = name === 'lfs' && !isLfsTampered && (await isInstalled('git-lfs', searchPath));
    const driver = isPinned ? LFS : name === 'lfs' && isLfsTampered ? {} : trusted(settings, name);
    for (const part of PARTS)
      overrides.push([`filter.${name}.${part}`, driver[part] ?? (part === 'required' ? 'false' : '')]);
  }
  return configEnvironment(overrides);
}

/** Git reads files only in worktrees. Section names cannot be disguised, so a configuration without these words need
 *  not be parsed. */
async function mayHaveFilters(dir: string, { GIT_DIR, GIT_COMMON_DIR }: Env): Promise<boolean> {
  const gitDir = GIT_DIR ?? (await pointedGitDir(dir));
  if (gitDir === null) return false;
  const common = GIT_COMMON_DIR ?? GIT_DIR ?? path.join(gitDir, '../..');
  const files = [path.join(common, 'config'), path.join(gitDir, 'config.worktree')];
  const texts = await Promise.all(files.map((file) => ifThere(readFile(file, 'latin1'))));
  return texts.some((text) => /filter|lfs|include/i.test(text ?? ''));
}

/** Where the `.git` file of a linked worktree says that its git dir is; null where there is no such file. */
async function pointedGitDir(dir: string): Promise<string | null> {
  const file = path.join(dir, '.git');
  if (!(await ifThere(lstat(file)))?.isFile()) return null;
  const found = /^gitdir: (.+)\n?$/.exec((await ifThere(readFile(file, 'utf8'))) ?? '')?.[1];
  return found === undefined ? null : path.resolve(dir, found);
}

/** Includes are followed, as git does when it filters. */
async function readSettings(read: Reader): Promise<Setting[]> {
  const args = ['config', '--show-scope', '-z', '--get-regexp', String.raw`^(filter|lfs)\.`];
  const fields = (await read(args)).split('\0');
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = '', ...value] = (fields[at + 1] ?? '').split('\n');
    settings.push({ isOwn: /^(local|worktree)$/.test(fields[at] ?? ''), key, value: value.join('\n') });
  }
  return settings;
}

const driverOf = (key: string): string | undefined => /^filter\.([^]+)\.[^.]+$/.exec(key)?.[1];

function trusted(settings: readonly Setting[], name: string): Driver {
  const found = settings.filter(({ isOwn, key }) => !isOwn && driverOf(key) === name);
  return Object.fromEntries(found.map(({ key, value }) => [key.slice(`filter.${name}.`.length), value]));
}

async function isInstalled(program: string, searchPath: string): Promise<boolean> {
  const found = await Promise.all(searchPath.split(path.delimiter).map((folder) => exists(path.join(folder, program))));
  return found.includes(true);
}

/** Settings of one call. Unlike `-c`, keys may contain any character. */
export function configEnvironment(overrides: readonly [string, string][]): Record<string, string> {
  const pairs = overrides.flatMap(([key, value], at): [string, string][] => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return Object.fromEntries<string>([...pairs, ['GIT_CONFIG_COUNT', String(overrides.length)]]);
}
