import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from '../platform/git/git.js';
import { ifThere } from '../platform/git/if-there.js';
import { locationEnvironment } from '../platform/git/worktree-pointer.js';
import type { TreePlace } from './trees.js';

const MAX_BYTES = 256 * 1024;
/** A repository has no such file, or git cannot read it. */
const NOTHING = [0, 1, 128];

/** `git submodule update --init` writes where each submodule comes from into the configuration, which no run may
 *  write. Said by its environment, it has nothing to write. Of two repositories that differ on a name, neither is
 *  said. */
export async function submoduleSettings(git: Git, trees: readonly TreePlace[]): Promise<Record<string, string>> {
  const all = (await Promise.all(trees.map((tree) => settingsOf(git, tree)))).flat();
  const settings = [...new Map(all)].filter(([key, url]) => all.every(([other, its]) => other !== key || its === url));
  if (settings.length === 0) return {};
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, url], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, url],
      ]),
    ),
  };
}

/** As they are committed: a file of the worktree could lead anywhere. Where it has none, which is usual, no process is
 *  needed to know that. */
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
