import { setTimeout as wait } from 'node:timers/promises';

const TOKEN = 'a token of at least thirty-two characters';
const SHARED = {
  CLUSTER_SECRET: 'a secret of at least thirty-two characters',
  TASKFLOW_SERVICE_TOKEN: TOKEN,
  INTERNAL_PORT: '0',
  INTERNAL_ADDRESS: '127.0.0.1:0',
  AGENT_API_URL: 'http://127.0.0.1:9',
};

/** Processes of one database, each with a folder of its own. */
export class Cluster {
  static async open(ground, more = {}) {
    const url = await ground.database();
    return new Cluster(ground, url, await ground.connect(url), { ...SHARED, ...more });
  }

  constructor(ground, databaseUrl, client, settings) {
    this.ground = ground;
    this.databaseUrl = databaseUrl;
    this.client = client;
    this.settings = settings;
  }

  start(role) {
    return this.ground.server(this.databaseUrl, { ...this.settings, ROLE: role });
  }

  async rows(sql, values) {
    return (await this.client.query(sql, values)).rows;
  }

  /** Polls the rows; the requests of a poll would be work of their own. @returns the first row of the answer */
  async untilRow(sql, values) {
    for (;;) {
      const [row] = await this.rows(sql, values);
      if (row) return row;
      await wait(5);
    }
  }

  /** A project over a repository, as one replica serves it. */
  async project(api, repository) {
    await this.untilRow(`SELECT 1 FROM runners WHERE role = 'runner' AND left_at IS NULL AND address NOT LIKE '%:0'`);
    return (await this.post(api, '/api/projects', { name: 'Bench', repos: [{ path: repository, name: 'app' }] }))
      .project_id;
  }

  call(api, tool, args) {
    return this.post(api, `/api/toolsets/kanban/tools/${tool}`, args);
  }

  async begin(api, project_id, script, executor = 'SHELL') {
    const { task_id } = await this.call(api, 'create_task', { project_id, title: 'Bench', description: script });
    return (await this.call(api, 'start_task_attempt', { task_id, executor })).attempt_id;
  }

  async untilSaid(api, attempt_id, line) {
    for (let after = -1; ;) {
      const about = { attempt_id, channel: 'raw', after_entry_index: after, wait_ms: 10_000 };
      const { page } = await this.call(api, 'tail_attempt_logs', about);
      if (page.entries.some(({ entry }) => entry.content === line)) return;
      after = page.next_after_entry_index;
    }
  }

  async post(api, path, body) {
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  }
}
