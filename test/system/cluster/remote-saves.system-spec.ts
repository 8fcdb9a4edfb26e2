import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { givenAttempt, givenEndedAttempt, givenProject, untilEnded, untilLine } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import { GitHttpServer } from '../../support/git-http-server.js';
import { GitRepository, GitSandbox } from '../../support/git-repository.js';

interface Row {
  remote: string | null;
  bundle: Buffer | null;
}

describe('work that is saved in the remote of its repository', () => {
  const box = new GitSandbox();
  const ground = ClusterGround.use({
    WORKSPACE_STORE: 'remote',
    WORKSPACE_SAVE_SECS: '1',
    REPOSITORY_HOSTS: '127.0.0.1',
  });
  const origin = new GitRepository(box.path('origin.git'));
  let forge: GitHttpServer;
  let project_id: string;

  beforeAll(async () => {
    execFileSync('git', ['clone', '--quiet', '--bare', box.repository('app', { 'a.txt': 'a\n' }).dir, origin.dir]);
    origin.git('config', 'http.receivepack', 'true');
    forge = await GitHttpServer.start(box.dir);
    await ground.runner('one');
    const body = { name: 'Cloned', repos: [{ url: `http://${forge.host}/origin.git`, name: 'web' }] };
    project_id = (await ground.api.rest.answers(201, 'POST', '/api/projects', body)).project_id as string;
  });
  afterAll(async () => {
    await forge.stop();
    box.remove();
  });

  const saved = async (attempt_id: unknown): Promise<Row | undefined> => {
    const sql = 'SELECT remote, bundle FROM workspace_snapshots WHERE attempt_id = $1';
    return (await ground.api.query<Row>(sql, [attempt_id]))[0];
  };
  const saves = (): string[] =>
    origin
      .git('for-each-ref', '--format=%(refname)', 'refs/taskyard')
      .split('\n')
      .map((ref) => ref.replace(/\/[^/]*$/, ''));
  const untilOnlySaveIs = (remote: string | null) =>
    eventually('older saves to be gone', () => saves().every((folder) => folder === remote));

  it('is the last save of a turn that lives, then of its end, and goes on elsewhere', async () => {
    const gate = ground.api.gates.gate();
    const commit = 'git add half.txt; git -c user.name=a -c user.email=a@b commit -qm Own';
    const begin = `echo half > half.txt; echo ready; ${gate.wait}`;
    const script = `${begin}; echo whole > half.txt; ${commit}; echo more > own.txt`;
    const { attempt_id } = await givenAttempt(ground.client, project_id, script);
    await untilLine(ground.client, attempt_id as string, 'ready');
    const half = (await eventually('a save while it lives', () => saved(attempt_id)))!;
    expect(half).toEqual({ remote: expect.stringContaining(attempt_id as string), bundle: null });
    gate.open();
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ state: 'completed' });
    const whole = await saved(attempt_id);
    expect(whole!.remote).not.toBe(half.remote);
    await untilOnlySaveIs(whole!.remote);
    await ground.end('one');
    await ground.runner('two');
    const prompt = 'cat half.txt own.txt; git log -1 --format=%s';
    await ground.client.call('follow_up', { attempt_id, action: 'send', prompt });
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ final_message: 'whole\nmore\nOwn' });
    expect(await ground.events(attempt_id, 'moved')).toHaveLength(1);
  });

  it('goes with its task', async () => {
    const { task_id, attempt_id } = await givenEndedAttempt(ground.client, project_id, 'echo own > own.txt');
    const { remote } = (await saved(attempt_id))!;
    expect(saves()).toContain(remote);
    await ground.client.call('delete_task', { task_id });
    await passKeptDay(ground.api.database);
    await eventually('its save to be gone', () => !saves().includes(remote!));
  });

  it('is in the database where the repository has no remote, and the log says so once', async () => {
    const project = await givenProject(ground.api, { name: 'Without a remote' });
    const { attempt_id } = await givenEndedAttempt(ground.client, project.project_id, 'echo own > own.txt');
    expect(await saved(attempt_id)).toEqual({ remote: null, bundle: expect.any(Buffer) });
    await ground.client.call('follow_up', { attempt_id, action: 'send', prompt: 'echo more > own.txt' });
    await untilEnded(ground.client, attempt_id as string);
    expect(await ground.events(attempt_id, 'work_not_saved')).toEqual([
      {
        content: expect.stringContaining('saved in the database'),
        metadata: expect.objectContaining({ repos: ['web'] }),
      },
    ]);
  });

  it('does not end a turn that its remote refuses', async () => {
    const gate = ground.api.gates.gate();
    const script = `echo ready; ${gate.wait}; echo own > own.txt`;
    const { attempt_id } = await givenAttempt(ground.client, project_id, script);
    await untilLine(ground.client, attempt_id as string, 'ready'); // its start may have fetched
    forge.fault = 403;
    gate.open();
    const ended = await untilEnded(ground.client, attempt_id as string);
    forge.fault = null;
    expect(ended).toMatchObject({ state: 'completed' });
    expect(await saved(attempt_id)).toEqual({ remote: null, bundle: expect.any(Buffer) });
    expect(await ground.events(attempt_id, 'work_not_saved')).toHaveLength(1);
  });
});
