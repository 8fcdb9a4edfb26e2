import { lstat, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../git/git.js';
import { configEnvironment } from '../git/own-filters.js';
import { ifThere } from '../git/if-there.js';
import { locationEnvironment } from '../git/worktree-pointer.js';
import type { Confinement } from '../platform/sandbox/sandbox.js';
import { presentTrees, type TreePlace } from './trees.js';
import type { Workspace } from './workspace-host.js';
import type { WorkspacePaths } from './workspace-paths.js';

const MAX_BYTES = 256 * 1024;
/** Exit codes for a missing or unreadable file. */
const NOTHING = [0, 1, 128];

/** `git submodule update --init` writes the URL of each submodule into the configuration, which no run may write. Set
 *  in its environment, they need not be written. If two repositories differ on a name, it is left out. */
async function submoduleSettings(git: Git, trees: readonly TreePlace[]): Promise<Record<string, string>> {
  const all = (await Promise.all(trees.map((tree) => settingsOf(git, tree)))).flat();
  const settings = [...new Map(all)].filter(([key, url]) => all.every(([other, its]) => other !== key || its === url));
  return settings.length === 0 ? {} : configEnvironment(settings);
}

/** Read from the commit, because a file in the worktree could link anywhere. Usually there is none, which is known
 *  without a process. */
async function settingsOf(git: Git, tree: TreePlace): Promise<[string, string][]> {
  if (!(await ifThere(lstat(path.join(tree.dir, '.gitmodules'))))) return [];
  const wanted = ['config', '-z', '--blob', 'HEAD:.gitmodules', '--get-regexp', String.raw`^submodule\..*\.url$`];
  const limits = { accept: NOTHING, readsNoFiles: true, env: locationEnvironment(tree) };
  const { stdout, cut } = await git.run(tree.dir, wanted, { ...limits, maxBytes: MAX_BYTES, cut: true });
  if (cut || stdout.length === 0) return [];
  const origin = await git.text(tree.dir, ['config', '--get', 'remote.origin.url'], limits);
  const base = origin || path.dirname(tree.common);
  return stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.split('\n'))
    .flatMap(([key, url]): [string, string][] => (key && url ? [[key, resolved(url, base)]] : []));
}

/** Beside the repository, as git reads `./` and `../`. */
function resolved(url: string, base: string): string {
  let [place, rest] = [base.replace(/\/$/, ''), url];
  for (let step; (step = /^\.\.?\//.exec(rest)?.[0]); rest = rest.slice(step.length))
    if (step === '../') place = place.replace(/[/:][^/:]*$/, '');
  return rest === url ? url : `${place}/${rest}`;
}

/** Parts of a shared repository that git must write; never hooks, configuration or attributes. */
const WRITTEN = ['objects', 'refs', 'logs', 'lfs'];
/** Never writable: a repository borrows objects from wherever this points. */
const KEPT = 'objects/info';
/** Created beforehand, because a run cannot: a bare clone has no logs yet, and a commit in its worktree writes one. */
const MADE = [KEPT, 'logs'];
/** Repositories can borrow in chains; git follows five links. */
const MAX_LENDERS = 5;

/** The attempt's own folder, and what a commit touches in its repositories. Nothing for a worktree whose pointer was
 *  changed. */
export async function confinementOf(git: Git, paths: WorkspacePaths, workspace: Workspace): Promise<Confinement> {
  const trees = await presentTrees(git, paths, workspace);
  const common = trees.map((tree) => tree.common);
  const made = common.flatMap((folder) => MADE.map((name) => path.join(folder, name)));
  await Promise.all(made.map((folder) => mkdir(folder, { recursive: true })));
  const borrowed = await Promise.all(common.map((folder) => lendersOf(path.join(folder, 'objects'))));
  return {
    writable: [
      paths.attempt(workspace.attempt_id),
      ...trees.map(({ gitDir }) => gitDir),
      ...common.flatMap((folder) => WRITTEN.map((name) => path.join(folder, name))),
    ],
    environment: await submoduleSettings(git, trees),
    readable: [...common, ...common.map((folder) => path.join(folder, KEPT)), ...borrowed.flat()],
  };
}

/** Object folders of other repositories that this one borrows from. */
async function lendersOf(objects: string, depth = 1): Promise<string[]> {
  const text = (await ifThere(readFile(path.join(objects, 'info/alternates'), 'utf8'))) ?? '';
  const lenders = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => path.resolve(objects, line));
  const others = depth < MAX_LENDERS ? lenders.map((lender) => lendersOf(lender, depth + 1)) : [];
  return [...lenders, ...(await Promise.all(others)).flat()];
}
