import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { INSIDE_USERS } from '../../src/platform/sandbox/bubblewrap.js';
import { eventually, processesTyped } from './eventually.js';

const root = path.join(import.meta.dirname, '../..');
const source = [path.join(root, 'src/platform/process/cell-program.mjs')];
/** `taskyard cell`, as it is shipped. */
const shipped = [path.join(root, 'dist/bundle/cli.js'), 'cell'];
const HOME = '/tmp/home';

interface Volumes {
  /** Of the server: a run sees what a pod shares of it. */
  dataDir: string;
  /** Read-only. */
  readable?: readonly string[];
  writable?: readonly string[];
}

/** A container for runs beside the server's, made of namespaces: it has PIDs, a /tmp and a home of its own, and shares
 *  the network, the folder of the socket, and what a chart would mount into both. */
export class TestCell {
  readonly socket: string;
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'taskyard-cell-'));
  private child: ChildProcess | null = null;

  /** @param volumes of a server that is built, and with it the launcher; without, that of the source */
  constructor(private readonly volumes: Volumes | null = null) {
    this.socket = path.join(this.folder, 'socket');
  }

  /** Once the launcher listens; nothing where it is there. */
  async start(): Promise<void> {
    if (this.isThere) return;
    rmSync(this.socket, { force: true }); // of one that was killed
    const child = spawn('bwrap', this.view(), {
      env: { PATH: process.env.PATH, HOME, CELL_SOCKET: this.socket },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.child = child;
    await eventually('the launcher to listen', () => existsSync(this.socket) || child.exitCode !== null);
  }

  /** All of it at once, as a container ends. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.isThere) return;
    this.child!.kill(signal);
    await once(this.child!, 'exit');
  }

  private get isThere(): boolean {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The launcher alone, as something with its uid could make it. */
  standStill(): void {
    const [pid] = processesTyped(this.command.join(' '), `CELL_SOCKET=${this.socket}`);
    process.kill(pid!, 'SIGSTOP');
  }

  async remove(): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get command(): string[] {
    return [process.execPath, ...(this.volumes === null ? source : shipped)];
  }

  private view(): string[] {
    const volumes = this.volumes === null ? { read: [], write: [] } : volumesOf(this.volumes);
    return [
      ...INSIDE_USERS[0]!, // nobody is root there
      ...['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-drop', 'ALL'],
      ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--dir', HOME],
      ...(this.volumes === null ? [] : ['--tmpfs', this.volumes.dataDir]),
      ...[root, ...volumes.read].flatMap((folder) => ['--ro-bind', folder, folder]),
      ...[this.folder, ...volumes.write].flatMap((folder) => ['--bind', folder, folder]),
      ...['--tmpfs', path.join(root, 'node_modules')], // it needs none
      ...['--', ...this.command],
    ];
  }
}

function volumesOf({ dataDir, readable = [], writable = [] }: Volumes) {
  const folder = (name: string) => made(path.join(dataDir, name));
  return {
    read: [...readable, ...['stores', 'lenses', 'repos'].map(folder)],
    write: [folder('worktrees'), ...writable],
  };
}

function made(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
