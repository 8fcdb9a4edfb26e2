import { beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { givenAttempt, givenProject, type Project, untilEnded, untilLine } from '../../support/board.js';
import type { Json, McpClient } from '../../support/mcp-client.js';
import { TestServer } from '../../support/server.js';

describe('the auto-commit policy of a project', () => {
  const server = TestServer.share();
  let client: McpClient;
  let project: Project;

  beforeAll(async () => {
    client = await server.mcp();
    project = await givenProject(server);
    await server.rest.put(`/api/projects/${project.project_id}`, { auto_commit: 'per_turn' });
  });

  const ended = async (
    script: string,
    project_id = project.project_id,
  ): Promise<{ attempt_id: string; task_id: string; branch: string }> => {
    const { attempt_id, task_id, workspace_branch } = await givenAttempt(client, project_id, script);
    await untilEnded(client, attempt_id as string);
    return { attempt_id, task_id, branch: workspace_branch };
  };
  const events = async (attempt_id: string): Promise<Json[]> => {
    const rows = await server.query<{ entries: Json[] }>(
      "SELECT entries FROM log_chunks WHERE attempt_id = $1 AND channel = 'events' ORDER BY first_index",
      [attempt_id],
    );
    return rows.flatMap(({ entries }) => entries);
  };

  it('commits what each turn leaves, with a message that carries task and turn and nothing of the texts', async () => {
    const { attempt_id, task_id, branch } = await ended('echo secret-words > a.txt');
    await client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo more > b.txt' });
    await untilEnded(client, attempt_id);
    const messages = project.repository
      .git('log', '--format=%B%x00', `main..${branch}`)
      .split('\0')
      .map((text) => text.trim())
      .filter(Boolean);
    expect(messages.map((text) => text.split('\n')[0])).toEqual([
      `Turn 2 of task ${task_id}`,
      `Turn 1 of task ${task_id}`,
    ]);
    expect(messages[1]).toMatch(
      new RegExp(
        `^Turn 1 of task ${task_id}\n\n` +
          `Taskyard-Task: ${task_id}\nTaskyard-Attempt: ${attempt_id}\nTaskyard-Run: [0-9a-f-]{36}$`,
      ),
    );
    expect((await client.call('get_attempt_changes', { attempt_id })).files).toEqual(['web/a.txt', 'web/b.txt']);
    const commits = (await events(attempt_id))
      .filter(({ type }) => type === 'committed')
      .map(({ metadata }) => (metadata as Json).commits.web as string);
    expect(commits).toEqual(project.repository.git('rev-list', '--reverse', `main..${branch}`).split('\n'));
  });

  it('numbers the turns also after a setup script, and from the queue', async () => {
    const scripted = await givenProject(server, { setup_script: 'true' });
    await server.rest.put(`/api/projects/${scripted.project_id}`, { auto_commit: 'per_turn' });
    const { attempt_id, workspace_branch } = await givenAttempt(
      client,
      scripted.project_id,
      'echo ready; until [ -e ../go ]; do sleep 0.05; done; echo x > a.txt',
    );
    await untilLine(client, attempt_id, 'ready');
    await client.call('follow_up', { attempt_id, action: 'queue', prompt: 'echo y > b.txt' });
    writeFileSync(path.join(server.environment.DATA_DIR, 'worktrees', attempt_id as string, 'go'), '');
    expect(await untilEnded(client, attempt_id)).toMatchObject({ state: 'completed' });
    const subjects = scripted.repository.git('log', '--format=%s', `main..${workspace_branch as string}`);
    expect(subjects.split('\n').map((subject) => subject.split(' of ')[0])).toEqual(['Turn 2', 'Turn 1']);
  });

  it('commits nothing after a turn that failed, or that changed nothing', async () => {
    for (const script of ['echo x > a.txt; exit 3', 'true']) {
      const { attempt_id, branch } = await ended(script);
      expect(project.repository.git('log', '--format=%s', `main..${branch}`)).toBe('');
      expect((await events(attempt_id)).filter(({ type }) => String(type).startsWith('commit'))).toEqual([]);
    }
  });

  it('is off where nobody asked for it', async () => {
    const other = await givenProject(server);
    const { branch } = await ended('echo x > a.txt', other.project_id);
    expect(other.repository.git('log', '--format=%s', `main..${branch}`)).toBe('');
    expect((await server.rest.get(`/api/projects/${other.project_id}`)).body).toMatchObject({ auto_commit: 'off' });
  });

  it('lets the turn go well where git refuses, and says so', async () => {
    const { attempt_id, branch } = await ended(
      'echo x > a.txt; index=$(git rev-parse --git-path index); rm "$index"; mkdir "$index"',
    );
    expect(await client.call('get_attempt_status', { attempt_id })).toMatchObject({ state: 'completed' });
    expect((await events(attempt_id)).map(({ type }) => type as string)).toContain('commit_failed');
    expect(project.repository.git('log', '--format=%s', `main..${branch}`)).toBe('');
  });

  it('is written down in the audit when it changes, and refuses other words', async () => {
    const { project_id } = await givenProject(server);
    await server.rest.put(`/api/projects/${project_id}`, { auto_commit: 'per_turn' });
    const { entries } = (await server.rest.get(`/api/projects/${project_id}/audit`)).body;
    expect((entries as Json[])[0]).toMatchObject({
      action: 'updated',
      details: { before: { auto_commit: 'off' }, after: { auto_commit: 'per_turn' } },
    });
    expect(await server.rest.put(`/api/projects/${project_id}`, { auto_commit: 'always' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_argument' },
    });
  });
});
