import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AttemptsRepository } from '../../../src/attempts/attempts.repository.js';
import { AttemptsService } from '../../../src/attempts/attempts.service.js';
import { strayKey } from '../../../src/attempts/ready-workspaces.js';
import { Jobs } from '../../../src/cluster/jobs.js';
import { RunnerLease } from '../../../src/cluster/runner-lease.js';
import { ChangeHub } from '../../../src/platform/database/change-hub.js';
import { WorkspaceDisposal } from '../../../src/runner/housekeeping/workspace-disposal.js';
import { WorkspaceExpiry } from '../../../src/runner/housekeeping/workspace-expiry.js';
import { WorkspacePreparation } from '../../../src/runner/workspace-preparation.js';
import { givenAttemptWithoutSession, givenEndedAttempt, givenProject, type Project } from '../../support/board.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import type { McpClient } from '../../support/mcp-client.js';
import { eventsOf } from '../../support/runs.js';
import { InProcessServer } from '../../support/in-process-server.js';

describe('housekeeping', () => {
  let server: InProcessServer;
  let client: McpClient;

  beforeEach(async () => {
    server = await InProcessServer.start({ WORKTREE_TTL_HOURS: '1' });
    client = await server.mcp();
  });
  afterEach(() => server.stop());

  const worktree = (attempt_id: string): string =>
    path.join(server.environment.DATA_DIR, 'worktrees', attempt_id, 'web');
  const expire = (): Promise<void> => server.app.get(WorkspaceExpiry, { strict: false }).expire();
  const rested = async (): Promise<void> => {
    for (const table of ['attempts', 'executions'])
      await server.query(`UPDATE ${table} SET updated_at = now() - interval '2 hours'`);
  };
  const logRows = async (attempt_id: string): Promise<number> => {
    const [row] = await server.query<{ rows: number }>(
      `SELECT (SELECT count(*) FROM log_chunks WHERE attempt_id = $1)::int
         + (SELECT count(*) FROM log_heads WHERE attempt_id = $1)::int AS rows`,
      [attempt_id],
    );
    return row!.rows;
  };

  /** Until it is mended git refuses every command in the repository. */
  function breakRepository({ repository }: Project): () => void {
    const config = path.join(repository.dir, '.git', 'config');
    const before = readFileSync(config);
    writeFileSync(config, 'this is no configuration');
    return () => writeFileSync(config, before);
  }

  /** Two ended attempts in repositories of their own; the first one's is broken. */
  async function givenOneBroken(): Promise<{ broken: string; sound: string; mend: () => void }> {
    const projects = [await givenProject(server), await givenProject(server)] as const;
    const broken = await givenEndedAttempt(client, projects[0].project_id);
    const sound = await givenEndedAttempt(client, projects[1].project_id);
    return { broken: broken.attempt_id, sound: sound.attempt_id, mend: breakRepository(projects[0]) };
  }

  it('removes the rest of a batch where one attempt fails, which it tries again by itself', async () => {
    const { broken, sound, mend } = await givenOneBroken();
    await server.query(`UPDATE tasks SET deleted_at = now() - interval '25 hours'`);
    await server.app.get(Jobs).send(null, { kind: 'dispose_workspaces', data: { attempt_ids: [broken, sound] } });
    await eventually('the sound worktree to go', () => !existsSync(worktree(sound)));
    await eventually('its log to go, with its heads', async () => (await logRows(sound)) === 0);
    expect(existsSync(worktree(broken))).toBe(true);
    expect(await logRows(broken)).toBeGreaterThan(0);
    mend();
    await eventually('the other one to go at a later try', () => !existsSync(worktree(broken)), 40_000);
    await eventually('its log to go', async () => (await logRows(broken)) === 0);
  });

  it('takes idle worktrees where one of them cannot be looked at', async () => {
    const { broken, sound, mend } = await givenOneBroken();
    await rested();
    await expire();
    expect([sound, broken].map((attempt_id) => existsSync(worktree(attempt_id)))).toEqual([false, true]);
    mend();
    await rested();
    await expire();
    expect(existsSync(worktree(broken))).toBe(false);
  });

  it('reports worktrees that could not be made, and whoever reads makes them once they can be', async () => {
    const project = await givenProject(server);
    await server.restart({ ROLE: 'api' }).then((other) => (server = other)); // nobody prepares yet
    client = await server.mcp();
    const { attempt_id, workspace_branch } = await givenAttemptWithoutSession(server, client, project.project_id);
    const lock = path.join(project.repository.dir, '.git', 'refs', 'heads', `${workspace_branch as string}.lock`);
    project.repository.git('update-ref', `refs/heads/${workspace_branch as string}-x`, 'HEAD'); // makes the folder
    writeFileSync(lock, '');
    server = await server.restart();
    client = await server.mcp();
    await eventually('an event with the reason', async () =>
      (await eventsOf(server, attempt_id)).some((event) => /^the worktrees could not be made: .*lock/.test(event)),
    );
    expect(await client.refused('get_attempt_changes', { attempt_id })).toMatchObject({
      code: 'repo_locked',
      retryable: true,
    });
    rmSync(lock);
    expect(await client.call('get_attempt_changes', { attempt_id })).toMatchObject({ blocked: false, files: [] });
    expect(existsSync(worktree(attempt_id as string))).toBe(true);
  });

  it('gives the reason as long as the worktrees cannot be made', async () => {
    const project = await givenProject(server);
    server = await server.restart({ ROLE: 'api' });
    client = await server.mcp();
    const { attempt_id } = await givenAttemptWithoutSession(server, client, project.project_id);
    const mend = breakRepository(project);
    server = await server.restart();
    client = await server.mcp();
    await eventually('an event', async () => (await eventsOf(server, attempt_id)).join().includes('could not be made'));
    expect(await client.refused('get_attempt_changes', { attempt_id })).toMatchObject({
      code: 'workspace_lost',
      details: { reason: expect.stringContaining('bad config') },
    });
    mend();
    expect(await client.call('get_attempt_changes', { attempt_id })).toMatchObject({ blocked: false });
  });

  it('takes nothing over a second time, where a turn may be at work by then', async () => {
    const { project_id } = await givenProject(server);
    const { attempt_id } = await givenEndedAttempt(client, project_id);
    const [attempt] = await server.app.get(AttemptsRepository, { strict: false }).listByIds([attempt_id]);
    const workspace = await server.app.get(AttemptsService, { strict: false }).workspace(attempt!);
    const unsaved = path.join(worktree(attempt_id), 'unsaved.txt');
    writeFileSync(unsaved, 'at work\n');
    const seenBefore = { ...attempt!, runner_id: 'lost' };
    await server.app.get(WorkspacePreparation, { strict: false }).prepare(seenBefore, workspace);
    expect(existsSync(unsaved)).toBe(true);
  });

  describe('once a task is deleted', () => {
    const branches = ({ repository }: Project): string => repository.git('branch', '--list', 'ty/*').trim();

    it('removes what its disposal gave up on', async () => {
      const project = await givenProject(server);
      const { attempt_id, task_id } = await givenEndedAttempt(client, project.project_id);
      await server.query("UPDATE tasks SET deleted_at = now() - interval '25 hours' WHERE id = $1", [task_id]);
      server.app.get(ChangeHub).changed(strayKey(server.app.get(RunnerLease).id));
      await eventually('the worktree to go', () => !existsSync(worktree(attempt_id)));
      await eventually('the branch to go', () => branches(project) === '');
    });

    it('removes what was out of reach for a moment, when its disposal passed by', async () => {
      const project = await givenProject(server);
      const { attempt_id } = await givenEndedAttempt(client, project.project_id);
      const [attempt] = await server.app.get(AttemptsRepository, { strict: false }).listByIds([attempt_id]);
      await server.query("UPDATE runners SET seen_at = now() - interval '1 hour'");
      await server.app.get(WorkspaceDisposal, { strict: false }).remove(attempt!, true);
      const [row] = await server.query('SELECT workspace_state FROM attempts WHERE id = $1', [attempt_id]);
      expect(row).toEqual({ workspace_state: 'removed' });
      await eventually('the worktree to go', () => !existsSync(worktree(attempt_id)));
    });

    it('removes worktrees that were still being made', async () => {
      const project = await givenProject(server);
      const { attempt_id, task_id } = await givenEndedAttempt(client, project.project_id);
      const [attempt] = await server.app.get(AttemptsRepository, { strict: false }).listByIds([attempt_id]);
      const { repos, ...made } = await server.app.get(AttemptsService, { strict: false }).workspace(attempt!);
      const unmade = { ...made, repos: repos.map((repo) => ({ ...repo, base_commit: null })) };
      await client.call('delete_task', { task_id });
      await passKeptDay(server.database);
      await eventually('the worktree to go', () => !existsSync(worktree(attempt_id)));
      const late = { ...attempt!, workspace_state: 'preparing' as const };
      const preparation = server.app.get(WorkspacePreparation, { strict: false });
      await expect(preparation.prepare(late, unmade)).rejects.toMatchObject({ code: 'workspace_not_ready' });
      await eventually('the worktree to go again', () => !existsSync(worktree(attempt_id)));
    });
  });
});
