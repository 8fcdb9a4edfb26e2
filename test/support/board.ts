import { randomUUID } from 'node:crypto';
import type { GitRepository } from './git-repository.js';
import type { Json, McpClient } from './mcp-client.js';
import type { TestServer } from './server.js';

export interface Project {
  project_id: string;
  repo_id: string;
  repository: GitRepository;
}

export interface NewProject {
  files?: Record<string, string | Buffer>;
  setup_script?: string;
  cleanup_script?: string;
  name?: string;
}

/** A project with one repository `web` of one commit on main. */
export async function givenProject(
  server: Pick<TestServer, 'rest' | 'repositories'>,
  options: NewProject = {},
): Promise<Project> {
  const repository = server.repositories.repository(`web-${randomUUID()}`, options.files);
  const { setup_script, cleanup_script } = options;
  const { status, body } = await server.rest.post('/api/projects', {
    name: options.name ?? 'Web shop',
    repos: [{ path: repository.dir, name: 'web', setup_script, cleanup_script }],
  });
  if (status !== 201) throw new Error(`no project: ${JSON.stringify(body)}`);
  const repos = await server.rest.get(`/api/projects/${body.project_id}/repos`);
  return { project_id: body.project_id as string, repo_id: repos.body.repos[0].repo_id as string, repository };
}

export async function givenTask(
  client: McpClient,
  project_id: string,
  script = 'echo hello',
  title = 'Say hello',
): Promise<string> {
  return (await client.call('create_task', { project_id, title, description: script })).task_id as string;
}

/** Starts the task's script as a SHELL attempt. */
export async function givenAttempt(
  client: McpClient,
  project_id: string,
  script = 'echo hello',
  more: object = {},
): Promise<Json> {
  const task_id = await givenTask(client, project_id, script);
  return client.call('start_task_attempt', { task_id, executor: 'SHELL', ...more });
}

/** The status once the attempt no longer runs. A test that waits in vain names in its output what it waits for. */
export async function untilEnded(client: McpClient, attempt_id: string): Promise<Json> {
  let while_approval: string | undefined;
  for (;;) {
    const status = await client.call('get_attempt_status', { attempt_id, wait_ms: 20_000, while_approval });
    if (status.state !== 'running') return status;
    while_approval = status.approval?.approval_id as string | undefined;
    console.warn(`an attempt runs on: ${JSON.stringify(status)}`);
  }
}

/** An attempt whose script has run to its end. */
export async function givenEndedAttempt(
  client: McpClient,
  project_id: string,
  script = 'echo hello',
  more: object = {},
): Promise<Json> {
  const attempt = await givenAttempt(client, project_id, script, more);
  return { ...attempt, ...(await untilEnded(client, attempt.attempt_id as string)) };
}

/** Every raw line of an attempt in order, read forward page by page. */
export async function allRawLines(client: McpClient, attempt_id: string): Promise<string[]> {
  const lines: string[] = [];
  let after = -1;
  for (;;) {
    const { page } = await client.call('tail_attempt_logs', {
      attempt_id,
      channel: 'raw',
      after_entry_index: after,
      limit: 1_000,
    });
    lines.push(...page.entries.map((entry: Json) => entry.entry.content as string));
    if (!page.has_more) return lines;
    after = page.next_after_entry_index as number;
  }
}

/** A place in a script: `wait` is the command that holds it there until `open` is called. */
export function gate(server: TestServer): { wait: string; open: () => void } {
  return server.gates.gate();
}

/** Waits until the script has printed the line. */
export async function untilLine(client: McpClient, attempt_id: string, line: string): Promise<void> {
  let after = -1;
  for (;;) {
    const { page, state } = await client.call('tail_attempt_logs', {
      attempt_id,
      channel: 'raw',
      after_entry_index: after,
      wait_ms: 5_000,
    });
    if (page.entries.some(({ entry }: Json) => entry.content === line)) return;
    if (state !== 'running' && !page.has_more) throw new Error(`the run ended without the line "${line}"`);
    after = page.next_after_entry_index as number;
  }
}

/** An attempt with its worktrees and without a session, which only REST makes. */
export async function givenAttemptWithoutSession(
  server: TestServer,
  client: McpClient,
  project_id: string,
): Promise<Json> {
  const task_id = await givenTask(client, project_id);
  const { status, body } = await server.rest.post(`/api/tasks/${task_id}/attempts`);
  if (status !== 201) throw new Error(`no attempt: ${JSON.stringify(body)}`);
  return body;
}
