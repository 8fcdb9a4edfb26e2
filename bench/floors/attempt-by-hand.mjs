import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What an attempt cannot do without: a worktree on a branch of its own, and bash in it.
 *  @returns ms until its first word */
export async function attemptByHand(repository, tree, branch) {
  const startedAt = performance.now();
  await run('git', ['worktree', 'add', '--quiet', '-b', branch, tree], { cwd: repository });
  const child = spawn('bash', ['-c', 'echo first'], { cwd: tree, stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  return performance.now() - startedAt;
}
