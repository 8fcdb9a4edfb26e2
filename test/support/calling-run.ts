import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { givenTask } from './board.js';
import type { GitSandbox } from './git-repository.js';
import type { Json, McpClient } from './mcp-client.js';

const agent = path.join(import.meta.dirname, '../fixtures/calling-agent.mjs');

/** A run that stands still while a test calls in its name, from the address and with the token that it was given. */
export class CallingRun {
  attempt_id!: string;
  task_id!: string;
  given!: { url: string; headers: Record<string, string> };
  private readonly calledAt: string;
  private readonly gate: string;

  private constructor(
    private readonly client: McpClient,
    state: string,
  ) {
    [this.calledAt, this.gate] = [path.join(state, 'called-at'), path.join(state, 'gate')];
  }

  /** What makes the executor CALLER known to a server. One run at a time. */
  static settings(sandbox: GitSandbox): Record<string, string> {
    const state = sandbox.path('agent');
    const env = { CALLED_AT: path.join(state, 'called-at'), GATE: path.join(state, 'gate') };
    const caller = { id: 'CALLER', command: process.execPath, args: [agent], env, protocol: 'acp', mcp: true };
    const file = sandbox.path('executors.json');
    writeFileSync(
      file,
      JSON.stringify({ executors: [{ ...caller, shared: [state], model_hosts: ['model.example'] }] }),
    );
    return { EXECUTORS_FILE: file, RUN_NETWORK: 'host' }; // the test calls from outside
  }

  static async start(client: McpClient, project_id: string, sandbox: GitSandbox): Promise<CallingRun> {
    const run = new CallingRun(client, sandbox.path('agent'));
    run.task_id = await givenTask(client, project_id);
    await run.begun(async () => {
      const started = await client.call('start_task_attempt', { task_id: run.task_id, executor: 'CALLER' });
      run.attempt_id = started.attempt_id as string;
    });
    return run;
  }

  /** The next run of the same attempt. */
  again(): Promise<void> {
    const { attempt_id } = this;
    return this.begun(() => this.client.call('follow_up', { attempt_id, action: 'send', prompt: 'Go on.' }));
  }

  private async begun(begin: () => Promise<unknown>): Promise<void> {
    for (const left of [this.calledAt, this.gate]) rmSync(left, { force: true });
    await begin();
    while (!existsSync(this.calledAt)) await delay(20);
    this.given = JSON.parse(readFileSync(this.calledAt, 'utf8')) as CallingRun['given'];
  }

  /** @returns what the tool answered, or its refusal */
  async call(name: string, args: object = {}, headers: Record<string, string> = {}): Promise<Json> {
    const { url, headers: own } = this.given;
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...own, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    });
    const { result } = (await answer.json()) as Json;
    return result.structuredContent as Json;
  }

  /** Lets the agent end its turn. */
  async end(): Promise<void> {
    writeFileSync(this.gate, '');
    for (;;) {
      const { attempt_id } = this;
      const { state } = await this.client.call('get_attempt_status', { attempt_id, wait_ms: 20_000 });
      if (state !== 'running') return;
    }
  }
}
