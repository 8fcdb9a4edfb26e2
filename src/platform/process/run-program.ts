import { execFile, spawn } from 'node:child_process';
import { gitEnvironment } from '../../config/child-environment.js';

/** What git says in a folder, without its last line end; null where it fails or is not there. */
export function askGit(folder: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const env = { ...gitEnvironment(), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
    execFile('git', args, { cwd: folder, env }, (error, stdout) =>
      resolve(error === null ? stdout.replace(/\n$/, '') : null),
    );
  });
}

/** Shows a page to the person, if this machine can. Nothing waits for the browser. */
export function openInBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
