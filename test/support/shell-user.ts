import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tokenOf } from './local-tokens.js';
import { Program } from './program.js';

interface Ended {
  code: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
}

/** A person at a shell: a home folder of their own, and the command line as built. */
export class ShellUser {
  readonly home = mkdtempSync(path.join(tmpdir(), 'taskyard-shell-'));

  /** @param url of the server that TASKYARD_URL names */
  constructor(
    private readonly url: string,
    private readonly settings: Record<string, string> = {},
  ) {}

  get environment(): Record<string, string> {
    const token = tokenOf(this.url);
    return {
      HOME: this.home,
      TASKYARD_URL: this.url,
      ...(token !== undefined && { TASKYARD_TOKEN: token }),
      ...this.settings,
    };
  }

  start(args: string[], cwd = this.home): Program {
    return Program.start('cli', args, this.environment, cwd);
  }

  /** Types a command. @param input what it reads */
  async types(args: string[], cwd = this.home, input = ''): Promise<Ended> {
    const program = this.start(args, cwd);
    program.child.stdin.end(input);
    const code = await program.ended;
    return { code, stdout: program.stdout, stderr: program.stderr };
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
