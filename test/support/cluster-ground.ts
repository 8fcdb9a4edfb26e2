import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { eventually } from './eventually.js';
import type { Json, McpClient } from './mcp-client.js';
import { CLUSTER_SECRET, TestServer } from './server.js';

type Settings = Record<string, string>;

/** A process that only serves, and runners that come and go, each with a folder of its own as on another machine. */
export class ClusterGround {
  api!: TestServer;
  client!: McpClient;
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'taskyard-cluster-'));
  private readonly runners = new Map<string, TestServer>();

  private constructor(private readonly settings: Settings) {}

  /** One for all tests of the file. */
  static use(settings: Settings = {}): ClusterGround {
    const ground = new ClusterGround({
      CLUSTER_SECRET,
      RUN_NETWORK: 'host',
      AGENT_API_URL: 'http://127.0.0.1:9',
      ...settings,
    });
    beforeAll(() => ground.start());
    afterAll(() => ground.stop());
    return ground;
  }

  /** Another runner, which the others reach. @param name of its folder */
  async runner(name: string, more: Settings = {}): Promise<TestServer> {
    const settings = { ...this.settings, ROLE: 'runner', DATA_DIR: path.join(this.folder, name), ...more };
    const runner = await TestServer.start(settings, this.api.database, this.api.repositories);
    this.runners.set(name, runner);
    await eventually('the runner to be reached', async () => {
      const { runners } = (await this.api.rest.does('GET', '/api/runners')) as { runners: Json[] };
      return runners.every(({ role, address }) => role === 'api' || !String(address).endsWith(':0'));
    });
    return runner;
  }

  /** An orderly end: others go on at once with what it is the home of. */
  async end(name: string): Promise<void> {
    const runner = this.runners.get(name)!;
    this.runners.delete(name);
    await runner.close();
    runner.gates.close();
  }

  /** Below the folder of a runner. */
  path(name: string, ...parts: string[]): string {
    return path.join(this.folder, name, ...parts);
  }

  /** Events of one type in the log of an attempt. */
  async events(attempt_id: unknown, type: string): Promise<Json[]> {
    return this.api.query<Json>(
      `SELECT entry.value ->> 'content' AS content, entry.value -> 'metadata' AS metadata
       FROM log_chunks c, jsonb_array_elements(c.entries) entry
       WHERE c.attempt_id = $1 AND c.channel = 'events' AND entry.value ->> 'type' = $2`,
      [attempt_id, type],
    );
  }

  private async start(): Promise<void> {
    this.api = await TestServer.start({ ...this.settings, ROLE: 'api' });
    this.client = await this.api.mcp();
  }

  private async stop(): Promise<void> {
    for (const name of [...this.runners.keys()]) await this.end(name);
    await this.api.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
