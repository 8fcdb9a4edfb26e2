import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const fixtures = path.join(import.meta.dirname, '../fixtures');

/** The runner's end of the workspace port in a process of its own. */
export class PortProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly address: string,
  ) {}

  static async start(dataDir: string, secret: string, runner_id: string, aheadMs = 0): Promise<PortProcess> {
    const loader = path.join(fixtures, 'children/typescript-loader.mjs');
    const program = path.join(fixtures, 'workspace-port.ts');
    const args = ['--import', loader, program, dataDir, secret, runner_id, String(aheadMs)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new PortProcess(child, `127.0.0.1:${port}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}
