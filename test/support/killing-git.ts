import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A git on the PATH of a server that ends it with SIGKILL before or after one command, and is git otherwise. */
export class KillingGit {
  private readonly plan: string;

  constructor(private readonly dir: string) {
    mkdirSync(dir, { recursive: true });
    this.plan = path.join(dir, 'plan');
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const shim = path.join(dir, 'git');
    writeFileSync(
      shim,
      `#!/bin/bash
[ -f '${this.plan}' ] || exec '${git}' "$@"
read -r when command pid < '${this.plan}'
for word in "$@"; do case "$word" in $command) found=yes ;; esac; done
[ "$found" ] || exec '${git}' "$@"
rm '${this.plan}' || exec '${git}' "$@"
[ "$when" = before ] && { kill -9 "$pid"; exit 1; }
'${git}' "$@"; code=$?
kill -9 "$pid"; exit $code
`,
    );
    chmodSync(shim, 0o755);
  }

  /** PATH for the server. */
  get path(): string {
    return `${this.dir}:${process.env.PATH}`;
  }

  /** The next such command ends it. */
  arm(when: 'before' | 'after', command: string, pid: number): void {
    writeFileSync(`${this.plan}.new`, `${when} ${command} ${pid}\n`);
    execFileSync('mv', [`${this.plan}.new`, this.plan]);
  }

  /** @returns whether nothing of the plan came true */
  disarm(): boolean {
    const isLeft = existsSync(this.plan);
    rmSync(this.plan, { force: true });
    return isLeft;
  }
}
