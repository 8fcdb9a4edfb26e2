import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRawLines, givenAttempt, untilEnded, untilLine } from '../../support/board.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually, processesOfRun } from '../../support/eventually.js';
import { GitHttpServer } from '../../support/git-http-server.js';
import { GitRepository, GitSandbox } from '../../support/git-repository.js';
import type { McpClient } from '../../support/mcp-client.js';
import { CLUSTER_SECRET } from '../../support/server.js';
import { ServerProcess } from '../../support/server-process.js';

/** Several saves would be made in it, and the lease is taken anew. */
const AWAKE_MS = 5_000;

describe('a runner that was frozen for longer than its lease, where work is saved in the remote', () => {
  const box = new GitSandbox();
  const origin = new GitRepository(box.path('origin.git'));
  let database: TestDatabase;
  let folder: string;
  let forge: GitHttpServer;
  let api: ServerProcess;
  let client: McpClient;

  const start = (name: string, ROLE: string): Promise<ServerProcess> =>
    ServerProcess.start(
      {
        ROLE,
        CLUSTER_SECRET,
        DATABASE_URL: database.url,
        DATA_DIR: path.join(folder, name),
        TASKFLOW_SERVICE_TOKEN: 'a token of at least thirty-two characters',
        INTERNAL_PORT: '0',
        INTERNAL_ADDRESS: '127.0.0.1:0',
        RUNNER_LOST_SECS: '3',
        WORKSPACE_STORE: 'remote',
        WORKSPACE_SAVE_SECS: '1',
        REPOSITORY_HOSTS: '127.0.0.1',
        AGENT_API_URL: 'http://127.0.0.1:9',
      },
      box,
    );

  beforeAll(async () => {
    execFileSync('git', ['clone', '--quiet', '--bare', box.repository('app', { 'a.txt': 'a\n' }).dir, origin.dir]);
    origin.git('config', 'http.receivepack', 'true');
    forge = await GitHttpServer.start(box.dir);
    database = await createTestDatabase();
    folder = mkdtempSync(path.join(tmpdir(), 'taskyard-frozen-'));
    api = await start('api', 'api');
    client = await api.mcp();
  });
  afterAll(async () => {
    await ServerProcess.endLeft();
    await forge.stop();
    await database.drop();
    box.remove();
    rmSync(folder, { recursive: true });
  });

  const project = async (): Promise<string> => {
    const body = { name: 'Cloned', repos: [{ url: `http://${forge.host}/origin.git`, name: 'web' }] };
    return (await eventually('a runner to clone it', async () => {
      const answer = await api.rest.post('/api/projects', body);
      return answer.status === 201 && (answer.body.project_id as string);
    })) as string;
  };
  const saved = async (attempt_id: string): Promise<string | undefined> => {
    const sql = 'SELECT remote FROM workspace_snapshots WHERE attempt_id = $1';
    return (await api.query<{ remote: string }>(sql, [attempt_id]))[0]?.remote;
  };
  const saves = (): string[] =>
    origin.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/taskyard').split('\n');
  const followUp = async (attempt_id: string, prompt: string) => {
    await client.call('follow_up', { attempt_id, action: 'send', prompt });
    return untilEnded(client, attempt_id);
  };

  it('writes nothing once it wakes: the attempt went on elsewhere, with all that was saved, and once', async () => {
    const frozen = await start('one', 'runner');
    const count = 'n=0; while :; do n=$((n + 1)); echo $n > count.txt; sleep 0.1; done';
    const attempt = await givenAttempt(client, await project(), `echo half > half.txt; echo ready; ${count}`);
    const [attempt_id, first] = [attempt.attempt_id as string, attempt.execution_process_id as string];
    await untilLine(client, attempt_id, 'ready');
    await eventually('a save of it', () => saved(attempt_id));
    await start('two', 'runner');
    frozen.kill('SIGSTOP');
    expect(await untilEnded(client, attempt_id)).toMatchObject({
      state: 'failed',
      failure_summary: 'runner lost: it went silent',
    });
    expect(processesOfRun(first)).toEqual([]);
    const prompt = 'cat half.txt; test -s count.txt; echo own > own.txt; rm count.txt';
    expect(await followUp(attempt_id, prompt)).toMatchObject({ state: 'completed', final_message: 'half' });
    const last = await saved(attempt_id);
    const ofLast = () => saves().filter((ref) => ref.startsWith(last!));
    const [lines, before, kept] = [await allRawLines(client, attempt_id), saves(), ofLast()];
    expect(kept).not.toEqual([]);

    frozen.kill('SIGCONT');
    await eventually('it to have a lease again', () => frozen.output.includes('was taken anew'));
    await delay(AWAKE_MS);
    // a save that was under way when it froze is no one's: it may remove that
    expect(saves().filter((ref) => !before.includes(ref))).toEqual([]);
    expect([await saved(attempt_id), ofLast()]).toEqual([last, kept]);
    expect(await allRawLines(client, attempt_id)).toEqual(lines);
    await eventually(
      'what it had of the attempt to go',
      () => !existsSync(path.join(folder, 'one', 'worktrees', attempt_id)),
    );

    expect(await followUp(attempt_id, 'cat half.txt own.txt; ls')).toMatchObject({
      final_message: 'half\nown\na.txt\nhalf.txt\nown.txt',
    });
    const turns = await api.query<{ status: string }>(
      "SELECT status FROM executions WHERE attempt_id = $1 AND run_reason = 'codingagent' ORDER BY number",
      [attempt_id],
    );
    expect(turns.map(({ status }) => status)).toEqual(['failed', 'completed', 'completed']);
    const moves = await api.query(
      `SELECT 1 FROM log_chunks c, jsonb_array_elements(c.entries) entry
       WHERE c.attempt_id = $1 AND c.channel = 'events' AND entry.value ->> 'type' = 'moved'`,
      [attempt_id],
    );
    expect(moves).toHaveLength(1);
  });
});
