import { setTimeout as delay } from 'node:timers/promises';
import type { FragileLine } from '../fragile-line.js';
import type { GitSandbox } from '../git-repository.js';
import { ServerProcess } from '../server-process.js';

const START_AGAIN_AFTER_MS = 300;

/** One process of the cluster under a supervisor: whenever it ends it is started again, until the cluster ends. */
export class ChaosMember {
  private server: ServerProcess | null = null;
  private isEnding = false;
  private keptDownUntil = 0;
  private running: Promise<void> = Promise.resolve();
  /** Starts that ended by themselves, as while the database is away, and what the last of them said. */
  lastWords = '';
  starts = 0;

  constructor(
    readonly name: string,
    private readonly settings: Record<string, string>,
    private readonly repositories: GitSandbox,
    readonly line: FragileLine,
  ) {}

  async start(): Promise<void> {
    this.running = this.supervise();
    await this.untilUp();
  }

  /** Null while it is down. */
  get url(): string | null {
    return this.server?.url ?? null;
  }

  get dataDir(): string {
    return this.settings.DATA_DIR!;
  }

  async untilUp(): Promise<void> {
    while (this.server === null) await delay(20);
  }

  kill(down_ms: number): void {
    this.keptDownUntil = performance.now() + down_ms;
    this.server?.kill('SIGKILL');
  }

  freeze(): () => void {
    const frozen = this.server;
    frozen?.kill('SIGSTOP');
    return () => frozen?.kill('SIGCONT');
  }

  /** In order. @returns its exit code */
  async end(): Promise<number | null> {
    this.isEnding = true;
    const exit = await this.server?.end('SIGTERM');
    await this.running;
    return exit?.code ?? null;
  }

  private async supervise(): Promise<void> {
    while (!this.isEnding) {
      await delay(Math.max(0, this.keptDownUntil - performance.now()));
      const server = await this.tryStart();
      if (server === null) await delay(START_AGAIN_AFTER_MS);
      else {
        this.server = server;
        await server.exited;
        this.server = null;
      }
    }
  }

  private async tryStart(): Promise<ServerProcess | null> {
    this.starts += 1;
    try {
      return await ServerProcess.start(this.settings, this.repositories);
    } catch (error) {
      this.lastWords = (error as Error).message;
      return null;
    }
  }
}
