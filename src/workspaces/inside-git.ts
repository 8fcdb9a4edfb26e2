import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import {
  MAX_BYTES,
  outputOf,
  type Git,
  type GitOptions,
  type GitOutput,
  type GitRunner,
  ownVariables,
} from '../git/git.js';
import { ended, RunningGit } from '../git/git-process.js';
import { exists } from '../git/if-there.js';
import { lendersOf, writeRepository } from '../git/own-repository.js';
import type { Cell, Command, Confinement, Sandbox } from '../platform/sandbox/sandbox.js';
import { COMMAND } from './inside-scripts.js';
import { type Stores, tipOf } from './stores.js';
import type { TreePlace } from './trees.js';

/** `copy`: on copies of refs and index, its objects go away with the lens. `own`: on what the run owns itself. */
type Target = 'copy' | 'own';

export interface ScriptCall {
  target: Target;
  script: string;
  args?: readonly string[];
  /** Variables of the script. */
  variables?: Readonly<Record<string, string>>;
  options?: Omit<GitOptions, 'secret' | 'readsNoFiles' | 'discover'>;
  /** Takes standard output as it comes. */
  sink?: Writable;
}

const COPIED: Record<Target, string> = { copy: 'HEAD index sharedindex.* packed-refs refs shallow', own: 'shallow' };

/** What a run's own `.git` says about how files are shown and merged does not count; end of line and encoding do. */
const ATTRIBUTES = '* !diff !merge !ident !export-ignore !export-subst\n';

/** Git on what a run owns: behind the walls of its attempt, with the limits of a run, without network. It sees the
 *  worktree through a lens, a repository of this server with its settings alone, so that nothing that a run writes into
 *  its `.git` decides what is done. Without walls the same, unconfined. */
export class InsideGit {
  private readonly running = new RunningGit();
  private readonly calls = new Set<Promise<GitOutput>>();

  constructor(
    private readonly sandbox: Sandbox,
    private readonly git: Pick<Git, 'environment' | 'timeoutMs'>,
    private readonly stores: Stores,
  ) {}

  /** Reads, whatever it is given as folder. */
  reading(tree: TreePlace): GitRunner {
    return this.runner(tree, 'copy');
  }

  /** Changes the worktree, its index and its branch. Only while no run of the attempt is live. */
  working(tree: TreePlace): GitRunner {
    return this.runner(tree, 'own');
  }

  /** @throws GitError, also once all have been ended */
  run(tree: TreePlace, wanted: ScriptCall): Promise<GitOutput> {
    if (this.running.isStopped) return Promise.reject(ended(nameOf(wanted)));
    const call = this.call(tree, wanted).finally(() => this.calls.delete(call));
    this.calls.add(call);
    return call;
  }

  /** For good: nothing is written afterwards. */
  async stopAll(): Promise<void> {
    await this.running.stopAll();
    await Promise.allSettled(this.calls);
  }

  private async call(tree: TreePlace, wanted: ScriptCall): Promise<GitOutput> {
    const id = randomUUID();
    const lens = path.join(this.stores.lenses, id);
    const lenders = [path.join(tree.store, 'objects'), ...(await lendersOf(path.join(tree.common, 'objects')))];
    try {
      await this.writeLens(lens, tree, lenders);
      const cell = this.sandbox.open(`git-${id}`, confinementOf(tree, lens, lenders));
      try {
        return await this.callThrough(lens, cell, tree, wanted);
      } finally {
        await cell.close();
      }
    } finally {
      await rm(lens, { recursive: true, force: true });
    }
  }

  private async callThrough(lens: string, cell: Cell, tree: TreePlace, wanted: ScriptCall): Promise<GitOutput> {
    const { target, script, args = [], variables, options = {}, sink } = wanted;
    const inside = { program: 'sh', args: ['-c', script, 'sh', ...args] };
    const command = cell.wrap(this.sandbox.isolation === 'container' ? withOwnLens(inside) : inside, tree.dir);
    const env = { ...this.environmentOf(tree, lens, target), ...variables, ...options.env };
    const { input, timeoutMs = this.git.timeoutMs, maxBytes = MAX_BYTES } = options;
    const spec = { ...command, env, input, timeoutMs, maxBytes, sink, starter: cell.starter };
    const name = nameOf(wanted);
    return outputOf(await this.running.run(spec, name), name, tree.dir, options);
  }

  private runner(tree: TreePlace, target: Target): GitRunner {
    const run: GitRunner['run'] = (_dir, args, options) =>
      this.run(tree, { target, script: COMMAND, args, ...(options ? { options } : {}) });
    const text: GitRunner['text'] = async (dir, args, options) =>
      (await run(dir, args, options)).stdout.toString('utf8').replace(/\n$/, '');
    return { run, text };
  }

  /** With the branch as the store knows it, for a worktree whose own repository is gone. */
  private async writeLens(lens: string, { dir, store, branch }: TreePlace, lenders: readonly string[]): Promise<void> {
    const [settings, exclude, shallow, head] = await Promise.all([
      readFile(path.join(store, 'settings'), 'utf8'),
      readFile(path.join(store, 'info/exclude'), 'utf8'),
      readFile(path.join(store, 'shallow'), 'utf8').catch(() => ''),
      tipOf(store, 'head'),
    ]);
    const own = path.join(dir, '.git/objects');
    await writeRepository(lens, {
      config: `${settings}[lfs]\n\tstorage = "${path.join(dir, '.git/lfs')}"\n`,
      isBare: false,
      isSha256: head?.length === 64,
      head: `refs/heads/${branch}`,
      refs: head === null ? {} : { [`refs/heads/${branch}`]: head },
      borrows: [...((await exists(own)) ? [own] : []), ...lenders],
      attributes: ATTRIBUTES,
      shallow,
      exclude,
    });
  }

  private environmentOf({ dir, branch, isDamaged }: TreePlace, lens: string, target: Target): Record<string, string> {
    const gitDir = target === 'own' ? path.join(dir, '.git') : lens;
    return {
      ...this.git.environment,
      ...ownVariables,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_DIR: gitDir,
      GIT_COMMON_DIR: lens,
      GIT_WORK_TREE: dir,
      GIT_OBJECT_DIRECTORY: path.join(gitDir, 'objects'),
      TREE: dir,
      LENS: lens,
      BRANCH: branch,
      COPIED: isDamaged ? '' : COPIED[target],
      NESTED: '',
    };
  }
}

const nameOf = ({ args = [] }: ScriptCall): string => args[0] ?? 'inside';

/** Whatever runs in another container must not write what this server writes and removes, so it only reads the lens. */
const COPY_LENS = `
lens=$(mktemp -d) && cp -R "$LENS/." "$lens" || exit 1
[ "$GIT_DIR" != "$LENS" ] || { GIT_DIR=$lens; GIT_OBJECT_DIRECTORY=$lens/objects; }
LENS=$lens; GIT_COMMON_DIR=$lens
"$@"
code=$?; rm -rf "$lens"; exit $code
`;

const withOwnLens = ({ program, args }: Command): Command => ({
  program: 'sh',
  args: ['-c', COPY_LENS, 'sh', program, ...args],
});

const confinementOf = ({ dir, common }: TreePlace, lens: string, lenders: readonly string[]): Confinement => ({
  writable: [dir, lens],
  readable: [...lenders, path.join(common, 'lfs')],
  network: 'none',
});
