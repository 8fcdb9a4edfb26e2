import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { signal } from './process-table.mjs';
import { START_MS, StreamMeeting } from './stream-meeting.js';

export interface SpawnRequest {
  program: string;
  args: readonly string[];
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>;
  /** Of standard input, output and error: whether the program is given a stream there. */
  streams: readonly [boolean, boolean, boolean];
  /** What it can read at file descriptor 3. */
  secret?: string | undefined;
}

/** A program that was started, in a session and process group of its own. */
export interface Spawned {
  /** Where it runs, which may be in another container. */
  pid: number;
  /** By file descriptor. */
  streams: readonly (Socket | null)[];
  /** Its exit code; null where a signal ended it, or nobody can tell any more. */
  exited: Promise<number | null>;
  /** To its process group. */
  signal(name: NodeJS.Signals): void;
}

/** Whoever can start such a program. */
export interface Starter {
  /** @throws Error when the program cannot be started */
  start(request: SpawnRequest): Promise<Spawned>;
}

interface Awaited {
  started: (pid: number) => void;
  ended: (code: number | null) => void;
  failed: (error: Error) => void;
}

type Report = { id: number } & ({ pid: number } | { code: number | null } | { error: string });

const program = fileURLToPath(new URL('./spawner-program.mjs', import.meta.url));
/** Memory of the program is given back after such a time without work. */
const IDLE_MS = 60_000;

/** Starts short-lived programs by a small one beside the server. A fork copies the page tables of who forks and stops
 *  its event loop meanwhile: 3 ms for 40 MB, ten times that for a server of 300. */
export class Spawner implements Starter {
  private helper: Promise<Helper> | null = null;
  private idle: NodeJS.Timeout | undefined;
  private busy = 0;

  /** @throws Error when the program cannot be started */
  async start(request: SpawnRequest): Promise<Spawned> {
    this.hold();
    try {
      const spawned = await (await this.ready()).start(request);
      void spawned.exited.finally(() => this.release());
      return spawned;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  private ready(): Promise<Helper> {
    if (this.helper) return this.helper;
    const forget = () => {
      if (this.helper === helper) this.helper = null;
    };
    const helper = Helper.start(forget);
    helper.catch(forget);
    return (this.helper = helper);
  }

  private hold(): void {
    clearTimeout(this.idle);
    this.busy += 1;
  }

  private release(): void {
    this.busy -= 1;
    if (this.busy > 0) return;
    this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
  }

  private end(): void {
    void this.helper?.then((helper) => helper.end());
    this.helper = null;
  }
}

/** One run of the program, and the socket at which the streams of what it starts arrive. */
class Helper {
  private readonly live = new Map<number, Awaited>();
  private ids = 0;

  static async start(onEnd: () => void): Promise<Helper> {
    const meeting = await StreamMeeting.open();
    // In a session of its own: a Ctrl-C in the terminal of the server does not reach it.
    const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
    const child = fork(program, [], { cwd: '/', env: {}, execArgv: [], detached: true, stdio });
    return new Helper(meeting, child, onEnd);
  }

  private constructor(
    private readonly meeting: StreamMeeting,
    private readonly child: ChildProcess,
    private readonly onEnd: () => void,
  ) {
    child.on('message', (report: Report) => this.hear(report));
    for (const end of ['error', 'disconnect', 'exit']) child.on(end, () => this.over());
    child.unref();
    child.channel?.unref();
  }

  async start({ streams, ...request }: SpawnRequest): Promise<Spawned> {
    const id = ++this.ids;
    const expected = this.meeting.expect(streams);
    let ended!: Awaited['ended'];
    let failed!: Awaited['failed'];
    const exited = new Promise<number | null>((resolve) => (ended = resolve));
    const lost = new Promise<never>((_, reject) => (failed = reject));
    lost.catch(() => undefined); // of no interest once all is there
    const frozen = setTimeout(() => this.child.kill('SIGKILL'), START_MS);
    try {
      const told = new Promise<number>((started) => this.live.set(id, { started, ended, failed }));
      this.child.channel?.ref();
      this.child.send({ id, ...request, address: this.meeting.address, streams: expected.names }, (error) => {
        if (error) failed(error);
      });
      const pid = await Promise.race([told, lost]);
      const met = await Promise.race([expected.met, lost]);
      return { pid, streams: met, exited, signal: (name) => void signal(-pid, name) };
    } catch (error) {
      this.forget(id);
      expected.giveUp();
      throw error;
    } finally {
      clearTimeout(frozen);
    }
  }

  end(): void {
    this.child.disconnect();
  }

  private hear(report: Report): void {
    const awaited = this.live.get(report.id);
    if ('pid' in report) return awaited?.started(report.pid);
    this.forget(report.id);
    if ('error' in report) awaited?.failed(new Error(report.error));
    else awaited?.ended(report.code);
  }

  private forget(id: number): void {
    this.live.delete(id);
    if (this.live.size === 0) this.child.channel?.unref();
  }

  /** What it started may still run; nobody hears of its end. */
  private over(): void {
    this.onEnd();
    this.meeting.close();
    for (const { failed, ended } of this.live.values()) {
      failed(new Error('the program that starts others ended'));
      ended(null);
    }
    this.live.clear();
  }
}

/** Of this process. */
export const spawner = new Spawner();
