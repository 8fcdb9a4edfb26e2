import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenAttempt, givenProject, givenTask, untilEnded } from '../../support/board.js';
import { FragileDatabase } from '../../support/fragile-database.js';
import type { McpClient } from '../../support/mcp-client.js';
import { untilSaid } from '../../support/runs.js';
import { CLUSTER_SECRET, TestServer } from '../../support/server.js';

/** What the server asks before it saves work, and before it saves a conversation. */
const KNOWN = 'SELECT repo_name, fingerprint, remote';
const KNOWN_CONVERSATION = 'SELECT fingerprint FROM agent_session_files';
/** What it asks before it commits. */
const TURNS = 'SELECT count(*)::int AS turns';

describe('the end of a turn', () => {
  let database: FragileDatabase;
  let server: TestServer;
  let client: McpClient;
  let project_id: string;

  beforeAll(async () => {
    database = await FragileDatabase.start();
    const settings = { CLUSTER_SECRET, WORKSPACE_SAVE_SECS: '600', AGENT_API_URL: 'http://127.0.0.1:9' };
    server = await TestServer.start(settings, { url: database.url, drop: () => Promise.resolve() });
    client = await server.mcp();
    ({ project_id } = await givenProject(server, { name: 'Saved' }));
  });
  afterAll(async () => {
    database.line.heal();
    await server.stop();
    await database.stop();
  });

  it('waits for a database that is away: what completed has its work', async () => {
    const { attempt_id } = await givenAttempt(client, project_id, 'echo ready; sleep 3; echo done > done.txt');
    await untilSaid(client, attempt_id as string, 'ready');
    database.line.loseAnswerTo(KNOWN);
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    const saved = 'SELECT repo_name FROM workspace_snapshots WHERE attempt_id = $1 AND work IS NOT NULL';
    expect(await database.query(saved, [attempt_id])).toHaveLength(1);
  });

  it('waits with the conversation of the agent, too', async () => {
    const task_id = await givenTask(client, project_id);
    database.line.loseAnswerTo(KNOWN_CONVERSATION);
    const { attempt_id } = await client.call('start_task_attempt', { task_id, executor: 'DEMO', prompt: 'say hello' });
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    const saved = 'SELECT agent_session_id FROM agent_session_files WHERE attempt_id = $1';
    expect(await database.query(saved, [attempt_id])).toHaveLength(1);
  });

  it('waits with the commit of its changes, too', async () => {
    const { project_id, repository } = await givenProject(server, { name: 'Committed' });
    await server.rest.put(`/api/projects/${project_id}`, { auto_commit: 'per_turn' });
    database.line.loseAnswerTo(TURNS);
    const { attempt_id, workspace_branch } = await givenAttempt(client, project_id, 'echo done > done.txt');
    expect(await untilEnded(client, attempt_id as string)).toMatchObject({ state: 'completed' });
    expect(repository.git('log', '--format=%s', `main..${workspace_branch as string}`)).toMatch(/^Turn 1 of task /);
  });
});
