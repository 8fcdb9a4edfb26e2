import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from './eventually.js';

/** A git on the PATH of a server that waits before or after one command until it may go on, or loses the line to a
 *  remote there, and is git otherwise. */
export class WaitingGit {
  private readonly dir = mkdtempSync(path.join(tmpdir(), 'taskyard-git-'));
  private readonly plan = path.join(this.dir, 'plan');
  private readonly taken = path.join(this.dir, 'taken');
  private readonly held = path.join(this.dir, 'held');

  constructor() {
    mkdirSync(this.dir, { recursive: true });
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const shim = path.join(this.dir, 'git');
    writeFileSync(
      shim,
      `#!/bin/bash
[ -f '${this.plan}' ] || exec '${git}' "$@"
read -r when command then < '${this.plan}'
for word in "$@"; do case "$word" in $command) found=yes ;; esac; done
[ "$found" ] || exec '${git}' "$@"
mv '${this.plan}' '${this.taken}' || exec '${git}' "$@"
code=0
if [ "$when" = lost ]; then
  rm '${this.taken}'
  [ "$then" = done ] && '${git}' "$@" >&2
  echo 'fatal: unable to access it: Connection reset by peer' >&2
  exit 128
fi
[ "$when" = after ] && { '${git}' "$@"; code=$?; }
mv '${this.taken}' '${this.held}'
while [ -f '${this.held}' ]; do sleep 0.02; done
[ "$when" = after ] && exit $code
exec '${git}' "$@"
`,
    );
    chmodSync(shim, 0o755);
  }

  /** PATH for the server. */
  get path(): string {
    return `${this.dir}:${process.env.PATH}`;
  }

  /** The next command with such a word, a pattern of the shell, waits. */
  hold(when: 'before' | 'after', command: string): void {
    writeFileSync(`${this.plan}.new`, `${when} ${command}\n`);
    execFileSync('mv', [`${this.plan}.new`, this.plan]);
  }

  /** The next such command is done or not, and nobody hears which. */
  lose(command: string, isDone: boolean): void {
    writeFileSync(`${this.plan}.new`, `lost ${command} ${isDone ? 'done' : 'undone'}\n`);
    execFileSync('mv', [`${this.plan}.new`, this.plan]);
  }

  async untilHeld(): Promise<void> {
    await eventually('a git that waits', () => existsSync(this.held));
  }

  release(): void {
    rmSync(this.held, { force: true });
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
