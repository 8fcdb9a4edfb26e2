import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import type { Json, McpClient } from './mcp-client.js';
import { CLUSTER_SECRET, isRemoved } from './server.js';
import { type ServerExit, ServerProcess } from './server-process.js';

type Settings = Record<string, string>;

/** A process that serves, a keeper, and runners that live for one attempt each: processes in the place of pods, each
 *  with a folder of its own that goes with it. */
export class AttemptRunners {
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'taskyard-attempts-'));
  private started = 0;
  private readonly live = new Set<ServerProcess>();

  private constructor(
    private readonly database: TestDatabase,
    private readonly settings: Settings,
    readonly api: ServerProcess,
    readonly client: McpClient,
  ) {}

  static async open(settings: Settings = {}): Promise<AttemptRunners> {
    const database = await createTestDatabase();
    const shared = {
      DATABASE_URL: database.url,
      CLUSTER_SECRET,
      TASKFLOW_SERVICE_TOKEN: 'a token of at least thirty-two characters',
      INTERNAL_PORT: '0',
      INTERNAL_ADDRESS: '127.0.0.1:0',
      RUNNER_LOST_SECS: '3',
      WORKSPACE_SAVE_SECS: '1',
      AGENT_API_URL: 'http://127.0.0.1:9',
      ...settings,
    };
    const api = await ServerProcess.start({ ...shared, ROLE: 'api' });
    const ground = new AttemptRunners(database, shared, api, await api.mcp());
    await ground.start({ RUNNER_LIFE: 'keeper' });
    return ground;
  }

  /** One for an attempt, unless the settings say otherwise. */
  async start(more: Settings = {}): Promise<ServerProcess> {
    const DATA_DIR = path.join(this.folder, String((this.started += 1)));
    const settings = { ...this.settings, ROLE: 'runner', RUNNER_LIFE: 'attempt', DATA_DIR, ...more };
    const runner = await ServerProcess.start(settings, this.api.repositories);
    this.live.add(runner);
    void runner.exited.then(() => {
      this.live.delete(runner);
      return eventually('its folder to go', () => isRemoved(DATA_DIR)); // what it ran may outlive it for a moment
    });
    await eventually('its address', async () =>
      (await this.runners()).every(({ role, address }) => role === 'api' || !String(address).endsWith(':0')),
    );
    return runner;
  }

  /** The live runner for one attempt whose folder has the worktrees. */
  holderOf(attempt_id: string): ServerProcess | undefined {
    const holders = [...this.live].filter(({ settings }) => settings.RUNNER_LIFE === 'attempt');
    return holders.find(({ settings }) => existsSync(path.join(settings.DATA_DIR!, 'worktrees', attempt_id)));
  }

  /** Runners that live for an attempt. */
  get liveCount(): number {
    return [...this.live].filter(({ settings }) => settings.RUNNER_LIFE === 'attempt').length;
  }

  async runners(): Promise<Json[]> {
    return ((await this.api.rest.does('GET', '/api/runners')) as { runners: Json[] }).runners;
  }

  /** Of those that live for an attempt. */
  async states(): Promise<string[]> {
    return (await this.runners()).filter(({ life }) => life === 'attempt').map(({ state }) => String(state));
  }

  async close(): Promise<void> {
    await this.client.close();
    await ServerProcess.endLeft();
    await this.database.drop();
    this.api.repositories.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What is left to read of an end by itself. */
export const ended = async (runner: ServerProcess): Promise<Pick<ServerExit, 'code' | 'signal'>> => {
  const { code, signal } = await runner.exited;
  return { code, signal };
};
