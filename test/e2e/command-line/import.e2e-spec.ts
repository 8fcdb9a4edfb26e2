import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ForgeGround } from '../../support/forge/forge-ground.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';
import { ShellUser } from '../../support/shell-user.js';
import { ages, KanbanFile } from '../../support/vibe-kanban/ages.js';

const LAST = path.join(import.meta.dirname, '../../fixtures/vibe-kanban.sqlite');
const ground = ForgeGround.use('github');
let user: ShellUser;
let repository: GitRepository;
beforeAll(() => {
  user = new ShellUser(ground.board.server.url);
  repository = ground.board.repository();
});
afterAll(() => user.remove());

const types = (...args: string[]) => user.types(args, repository.dir);
const kanban = (...args: string[]) => types('import', '--from', 'vibe-kanban', ...args);
const projectsNamed = async (name: string): Promise<Json[]> => {
  const { projects } = await ground.board.rest.does('GET', '/api/projects?limit=500');
  return (projects as Json[]).filter((project) => project.name === name);
};

describe('taskyard import --from vibe-kanban', () => {
  it('names repositories that are not here, and writes nothing of their projects', async () => {
    const { code, stderr, stdout } = await kanban(LAST);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/of 2026-03-17 \(76 migrations, workspaces\)\n/);
    expect(stderr).toMatch(/Web shöp is left out: \/srv\/git\/workshop\/vk\/repo is not found/);
    expect(stderr).toMatch(/next: taskyard import .* --map \/srv\/git\/workshop\/vk\/repo=PATH/);
    expect(await projectsNamed('Web shöp')).toEqual([]);
  });

  it('brings the history of a database, once', async () => {
    const mapped = [LAST, '--map', `/srv/git/workshop/vk/repo=${repository.dir}`];
    const all = '1 project, 1 repository, 4 tasks, 4 attempts, 4 sessions, 12 turns';
    const tried = await kanban(...mapped, '--dry-run');
    expect([tried.code, tried.stdout]).toEqual([0, `would create: ${all}\nalready there: nothing\n`]);
    expect(await projectsNamed('Web shöp')).toEqual([]);
    const first = await kanban(...mapped);
    expect([first.code, first.stdout]).toEqual([0, `created: ${all}\nalready there: nothing\n`]);
    const again = await kanban(...mapped);
    expect([again.code, again.stdout]).toEqual([0, `created: nothing\nalready there: ${all}\n`]);

    const [project, ...more] = await projectsNamed('Web shöp');
    expect(more).toEqual([]);
    const tasks = await ground.board.rest.does('GET', `/api/projects/${project!.project_id}/tasks`);
    const done = (tasks.tasks as Json[]).find(({ title }) => title === 'Task 1 ü');
    expect(done).toMatchObject({ status: 'done', delivery_state: 'merged', latest_workspace_branch: 'vk-5434-task-1' });
  });

  it('brings that of an earlier release, whose runs are read as those of today', async () => {
    const file = new KanbanFile(ages['August 2025']!(repository.dir));
    const { code, stdout } = await kanban(file.path);
    file.remove();
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 task, 1 attempt, 1 session, 1 turn\n')]);
    const [project] = await projectsNamed('Old shop');
    const { tasks } = await ground.board.rest.does('GET', `/api/projects/${project!.project_id}/tasks`);
    const attempt = await ground.board.rest.does('GET', `/api/attempts/${(tasks as Json[])[0]!.latest_attempt_id}`);
    expect(attempt).toMatchObject({ state: 'completed', final_message: 'Did it' });
  });

  it('refuses another file, and a map that is none', async () => {
    const other = await kanban(import.meta.filename);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('is no database of Vibe Kanban')]);
    const map = await kanban(LAST, '--map', 'somewhere');
    expect([map.code, map.stderr]).toEqual([2, expect.stringContaining('"somewhere" is not OLD=NEW')]);
  });
});

describe('taskyard import --from github', () => {
  it('brings the issues of a repository as tasks of the project of the folder, once', async () => {
    const { project_id, repository: own } = await ground.board.project();
    const { issues } = ground.forge.create('ada/shop');
    issues.push({ title: 'It breaks', body: 'On Mondays.', labels: ['bug'] }, { title: 'Old', closed: 'completed' });
    issues.push({ title: 'Never', closed: 'not_planned' });
    const from = (...args: string[]) => user.types(['import', '--from', 'github', ...args], own.dir);
    const tried = await from('ada/shop', '--dry-run');
    expect([tried.code, tried.stdout]).toEqual([0, 'would create: 3 tasks\nalready there: nothing\n']);
    expect((await from('ada/shop')).stdout).toBe('created: 3 tasks\nalready there: nothing\n');
    expect((await from('ada/shop')).stdout).toBe('created: nothing\nalready there: 3 tasks\n');
    const { tasks } = await ground.board.rest.does('GET', `/api/projects/${project_id}/tasks`);
    const statuses = (tasks as Json[]).map(({ title, status }) => [title, status]);
    expect(statuses).toEqual(
      expect.arrayContaining([
        ['It breaks', 'todo'],
        ['Old', 'done'],
        ['Never', 'cancelled'],
      ]),
    );
    const open = (tasks as Json[]).find(({ title }) => title === 'It breaks')!;
    expect(await ground.board.rest.does('GET', `/api/tasks/${open.task_id}`)).toMatchObject({
      description: `On Mondays.\n\n${ground.forge.url}/ada/shop/issues/100`,
      tags: ['bug'],
    });
    const none = await from('ada/none');
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('shows no issues of ada/none')]);
    expect((await from('shop')).code).toBe(2);
  });
});
