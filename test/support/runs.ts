import { eventually } from './eventually.js';
import type { Json, McpClient } from './mcp-client.js';
import type { TestServer } from './server.js';

type Ground = Pick<TestServer, 'rest' | 'repositories'>;
type Records = Pick<TestServer, 'query'>;

export interface ScriptedRepo {
  name: string;
  setup_script?: string;
  cleanup_script?: string;
}

/** How the end of a program by SIGKILL is told: walls hand a signal on as an exit code. */
export const endedByKill = /^(ended by SIGKILL|failed \(exit_code=137\))$/;

/** A project with one repository for each name, in that order, each with one commit on main. */
export async function givenRepos(server: Ground, repos: ScriptedRepo[]): Promise<string> {
  const created = await server.rest.post('/api/projects', {
    name: 'Scripted',
    repos: repos.map((repo) => ({
      ...repo,
      path: server.repositories.repository(`${repo.name}-${Math.random().toString(36).slice(2)}`).dir,
    })),
  });
  if (created.status !== 201) throw new Error(`no project: ${JSON.stringify(created.body)}`);
  return created.body.project_id as string;
}

/** Every run of an attempt in order, as `run_reason repository status`. */
export async function runsOf(server: Records, attempt_id: string): Promise<string[]> {
  const rows = await server.query<{ run: string }>(
    `SELECT concat_ws(' ', e.run_reason, r.name, e.status) AS run FROM executions e LEFT
       JOIN repos r ON r.id = e.repo_id WHERE e.attempt_id = $1 ORDER BY e.number`,
    [attempt_id],
  );
  return rows.map(({ run }) => run);
}

/** What happened to an attempt, in order, as the events channel tells it. */
export async function eventsOf(server: Records, attempt_id: string): Promise<string[]> {
  const rows = await server.query<{ content: string }>(
    `SELECT entry.value ->> 'content' AS content
       FROM log_chunks c, jsonb_array_elements(c.entries) entry WHERE c.attempt_id = $1
       AND c.channel = 'events' ORDER BY c.first_index`,
    [attempt_id],
  );
  return rows.map(({ content }) => content);
}

/** The first raw line that begins so, once it is readable. */
export async function untilSaid(client: McpClient, attempt_id: string, start: string): Promise<string> {
  let after = -1;
  return eventually(`a line that begins with "${start}"`, async () => {
    const { page } = await client.call('tail_attempt_logs', {
      attempt_id,
      channel: 'raw',
      after_entry_index: after,
      wait_ms: 5_000,
      limit: 1_000,
    });
    after = page.next_after_entry_index as number;
    return (page.entries as Json[])
      .map((entry) => entry.entry.content as string)
      .find((line) => line.startsWith(start));
  }) as Promise<string>;
}

export async function taskStatus(client: McpClient, task_id: string): Promise<string> {
  return (await client.call('get_task', { task_id })).task.status as string;
}
