import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const dist = path.join(import.meta.dirname, '../../dist');

/** A built program as a process of its own, with its paths and these settings as its whole environment. */
export class Program {
  stdout = '';
  stderr = '';
  /** Exit code, or the signal that ended it, once all it said is read. */
  readonly ended: Promise<number | NodeJS.Signals>;

  private constructor(readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    child.stdin.on('error', () => undefined); // it may end before it has read everything
    this.ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  }

  /** @param program for example `gateway` */
  static start(program: string, args: string[] = [], settings: Record<string, string> = {}, cwd?: string): Program {
    return Program.file(programFile(program), args, settings, cwd);
  }

  /** @param file of the program, wherever it lies */
  static file(file: string, args: string[], settings: Record<string, string> = {}, cwd?: string): Program {
    const env = programEnvironment(settings);
    return new Program(spawn(process.execPath, [file, ...args], { env, cwd, stdio: 'pipe' }));
  }

  /** @param source of a module whose imports are relative to the built source */
  static script(source: string, settings: Record<string, string> = {}): Program {
    const args = ['--input-type=module', '--eval', source];
    return new Program(
      spawn(process.execPath, args, { cwd: path.join(dist, 'src'), env: programEnvironment(settings), stdio: 'pipe' }),
    );
  }

  /** The first match in what it says on one of its outputs. @throws where it ends without saying so */
  async says(pattern: RegExp, where: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this[where]);
      if (found) return found;
      const ending = await Promise.race([once(this.child[where], 'data').then(() => undefined), this.ended]);
      if (ending !== undefined && !pattern.test(this[where]))
        throw new Error(`it ended with ${ending}: ${this.stdout}${this.stderr}`);
    }
  }

  /** Ends it and tells how it ended. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    return this.ended;
  }
}

export function programEnvironment(settings: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...settings };
}

/** As bundled. */
export const programFile = (program: string): string => path.join(dist, 'bundle', `${program}.js`);
