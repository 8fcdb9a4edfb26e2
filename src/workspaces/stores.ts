import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../git/git.js';
import { ownSettings } from '../git/git.js';
import { exists, ifThere } from '../git/if-there.js';
import { configText, lendersOf, writeRepository } from '../git/own-repository.js';
import type { WorkspacePaths } from './workspace-paths.js';

/** What a store knows of its attempt: where it began, its branch, where that was shown to the user last, commits of
 *  what was uncommitted at the last look and save, and what an update that stopped at a conflict brings in. */
export type Tip = 'base' | 'head' | 'published' | 'work' | 'saved/work' | 'updating';

const refOf = (tip: Tip): string => `refs/taskyard/${tip}`;

const MANY_PACKS = 50;
const TIDY_TIMEOUT_MS = 5 * 60_000;

const EXCLUDES = 'core.excludesfile';
/** Settings of the user that decide what becomes of files. */
const INHERITED =
  '^(core\\.(autocrlf|eol|ignorecase|filemode|symlinks|precomposeunicode|bigfilethreshold|excludesfile)' +
  '|remote\\.origin\\.url)$';
const LFS: [string, string][] = [
  ['filter.lfs.clean', 'git-lfs clean -- %f'],
  ['filter.lfs.smudge', 'git-lfs smudge -- %f'],
  ['filter.lfs.process', 'git-lfs filter-process'],
  ['filter.lfs.required', 'true'],
];
const INSIDE: [string, string][] = [
  ['commit.gpgSign', 'false'],
  ['rerere.enabled', 'false'],
  ['core.untrackedCache', 'false'],
];

export interface NewStore {
  repo_path: string;
  /** Common folder of the user's repository. */
  common: string;
  base_commit: string;
  head: string;
}

/** What the server itself reads of attempts: bare repositories below DATA_DIR that no run sees, one for each worktree.
 *  The objects of the user's repository are borrowed; a ref of ours there keeps the base of the attempt. */
export class Stores {
  constructor(
    private readonly git: Git,
    private readonly paths: WorkspacePaths,
  ) {}

  /** For lenses, each as long as a command behind walls. */
  get lenses(): string {
    return this.paths.lenses;
  }

  at(attempt_id: string, repo_name: string): string {
    return this.paths.store(attempt_id, repo_name);
  }

  /** Makes the store unless it is there, and the settings of git behind walls anew. @returns those of the user that a
   *  run's own repository has, too */
  async make(store: string, { repo_path, common, base_commit, head }: NewStore): Promise<string> {
    const read = async (file: string) => (await ifThere(readFile(file, 'utf8'))) ?? '';
    const { inherited, excludes } = await this.settingsOf(repo_path);
    if (!(await exists(path.join(store, 'HEAD')))) {
      await rm(store, { recursive: true, force: true });
      await writeRepository(store, {
        config: '',
        isBare: true,
        isSha256: base_commit.length === 64,
        head: 'refs/heads/none',
        refs: { [refOf('base')]: base_commit, [refOf('head')]: head, [refOf('published')]: head },
        borrows: await lendersOf(path.join(common, 'objects')),
        shallow: await read(path.join(common, 'shallow')),
        exclude: `${await read(path.join(common, 'info/exclude'))}\n${await read(excludes)}`,
      });
    } else {
      for (const tip of ['head', 'published'] as const) await this.move(store, tip, head);
    }
    const lfs = (await this.hasLargeFiles()) ? LFS : [];
    const settings = [...inherited, ...Object.entries(ownSettings), ...INSIDE, ...lfs];
    await writeFile(path.join(store, 'settings'), configText(settings));
    return configText(inherited);
  }

  /** Settings of the user that a repository of a run has, too, as lines of its configuration. */
  async inherited(repo_path: string): Promise<string> {
    return configText((await this.settingsOf(repo_path)).inherited);
  }

  /** Moves a tip of a store, which only this server writes; null removes it. */
  async move(store: string, tip: Tip, commit: string | null): Promise<void> {
    await this.git.run(store, ['update-ref', ...(commit === null ? ['-d', refOf(tip)] : [refOf(tip), commit])]);
  }

  /** Each look that finds something new adds a pack. Nothing is dropped: a look in progress may name it. */
  async tidy(store: string): Promise<void> {
    const names = await readdir(path.join(store, 'objects/pack'));
    if (names.filter((name) => name.endsWith('.pack')).length < MANY_PACKS) return;
    await this.git.run(store, ['repack', '--geometric=2', '-d', '-l', '-q'], { timeoutMs: TIDY_TIMEOUT_MS });
  }

  /** @returns settings of the user that a run gets, and the file of names that git does not track: inside the walls,
   *  where the user's home is hidden, git cannot read it */
  private async settingsOf(repo_path: string): Promise<{ inherited: [string, string][]; excludes: string }> {
    const args = ['config', '-z', '--get-regexp', INHERITED];
    const fields = (await this.git.text(repo_path, args, { accept: [0, 1], readsNoFiles: true })).split('\0');
    const settings = fields.filter(Boolean).map((field): [string, string] => {
      const [key = '', ...value] = field.split('\n');
      return [key, key === 'remote.origin.url' ? withoutPassword(value.join('\n')) : value.join('\n')];
    });
    const named = settings.findLast(([key]) => key === EXCLUDES)?.[1] ?? '~/.config/git/ignore';
    return {
      inherited: settings.filter(([key]) => key !== EXCLUDES),
      excludes: path.resolve(repo_path, named.replace(/^~(?=\/)/, this.git.environment.HOME ?? '')),
    };
  }

  private async hasLargeFiles(): Promise<boolean> {
    const folders = (this.git.environment.PATH ?? '').split(path.delimiter);
    return (await Promise.all(folders.map((folder) => exists(path.join(folder, 'git-lfs'))))).includes(true);
  }
}

const withoutPassword = (url: string): string => url.replace(/:\/\/[^/@]*@/, '://');

/** Read without git: the file is ours. Null where there is none. */
export async function tipOf(store: string, tip: Tip): Promise<string | null> {
  return (await ifThere(readFile(path.join(store, refOf(tip)), 'utf8')))?.trim() ?? null;
}
