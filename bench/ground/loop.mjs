import { setTimeout as wait } from 'node:timers/promises';
import { asOwner, Connection } from '../measure/connection.mjs';
import { callTool } from './tool-request.mjs';

/** A project over one repository on a running server, and its tools. */
export class Loop {
  static async open(server, repository) {
    const answer = await fetch(`${server.url}/api/projects`, {
      method: 'POST',
      headers: asOwner(server.url, { 'content-type': 'application/json' }),
      body: JSON.stringify({ name: 'Bench', repos: [{ path: repository }] }),
    });
    const project = await answer.json();
    if (!answer.ok) throw new Error(`no project: ${JSON.stringify(project)}`);
    return new Loop(server.url, project.project_id, await Connection.open(server.url));
  }

  constructor(url, project_id, connection) {
    this.url = url;
    this.project_id = project_id;
    this.connection = connection;
  }

  call(name, args) {
    return callTool(this.connection, `${this.url}/mcp`, name, args);
  }

  async task(script) {
    return (await this.call('create_task', { project_id: this.project_id, title: 'Bench', description: script }))
      .task_id;
  }

  start(task_id) {
    return this.call('start_task_attempt', { task_id, executor: 'SHELL' });
  }

  async untilEnded(attempt_id) {
    for (;;) {
      const { state } = await this.call('get_attempt_status', { attempt_id });
      if (state !== 'running') return state;
      await wait(20);
    }
  }

  /** Waits for the first raw line of a run. */
  async firstLine(attempt_id) {
    for (let after = -1; ;) {
      const page = await this.page(attempt_id, after);
      if (page.entries.length > 0) return page.entries[0].entry.content;
      after = page.next_after_entry_index;
    }
  }

  /** The page of raw lines after an index, waiting for it where there is none yet. */
  async page(attempt_id, after_entry_index) {
    return (
      await this.call('tail_attempt_logs', {
        attempt_id,
        channel: 'raw',
        after_entry_index,
        limit: 1_000,
        wait_ms: 20_000,
      })
    ).page;
  }
}
