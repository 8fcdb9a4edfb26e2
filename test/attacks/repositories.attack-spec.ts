import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttackGround } from '../support/attack-ground.js';
import { givenEndedAttempt, givenTask, type Project } from '../support/board.js';
import { eventually } from '../support/eventually.js';
import { GitHttpServer } from '../support/git-http-server.js';
import type { Json } from '../support/mcp-client.js';

const PASSWORD = 'hunter2hunter2';
const ground = AttackGround.useRoot({ SHELL_EXECUTOR: 'on' });

describe("S8: repositories that are nobody's to name", () => {
  let inner: Server;
  let reached = 0;
  let tree: string;
  beforeAll(async () => {
    inner = createServer((_, response) => {
      reached += 1;
      response.end();
    });
    await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
    const { project_id } = await ground.rootedProject();
    const { attempt_id } = await givenEndedAttempt(ground.kanban, project_id);
    tree = `${ground.dataDir}/worktrees/${attempt_id as string}/web`;
  });
  afterAll(() => new Promise((resolve) => inner.close(resolve)));

  it.each<[string, () => Json]>([
    ['a worktree of another attempt', () => ({ path: tree })],
    ['the same as a URL', () => ({ url: `file://${tree}` })],
    [
      'the same by a link',
      () => {
        symlinkSync(tree, ground.rooted.path('link'));
        return { path: ground.rooted.path('link') };
      },
    ],
    ['a folder beyond the roots', () => ({ path: ground.repositories.repository('beyond').dir })],
    ['the same by way of a root', () => ({ path: `${ground.rooted.dir}/../beyond` })],
    ['the system', () => ({ path: '/etc' })],
    ['a port of this machine', () => ({ url: `http://127.0.0.1:${portOf()}/a.git` })],
    ['the same by name', () => ({ url: `http://localhost:${portOf()}/a.git` })],
    ['the same as a number', () => ({ url: `http://2130706433:${portOf()}/a.git` })],
    ['the same as hex', () => ({ url: `http://0x7f.1:${portOf()}/a.git` })],
    ['the same as IPv6', () => ({ url: `http://[::ffff:127.0.0.1]:${portOf()}/a.git` })],
    ['the same over git', () => ({ url: `git://127.0.0.1:${portOf()}/a.git` })],
    ['the same over ssh', () => ({ url: `ssh://git@127.0.0.1:${portOf()}/a.git` })],
    ['metadata of a cloud', () => ({ url: 'http://169.254.169.254/latest/a.git' })],
    ['a program', () => ({ url: `ext::sh -c touch%20${ground.repositories.path('ran')}` })],
    ['an option', () => ({ url: '--upload-pack=touch /tmp/x' })],
    ['an option of ssh', () => ({ url: 'ssh://-oProxyCommand=touch/a.git' })],
  ])('%s', async (_, fields) => {
    const { project_id } = await ground.rest.does('POST', '/api/projects', { name: 'x' });
    const refused = await ground.rest.refused('POST', `/api/projects/${project_id}/repos`, {
      name: 'web',
      ...fields(),
    });
    expect([refused.status, reached]).toEqual([400, 0]);
    expect(existsSync(ground.repositories.path('ran'))).toBe(false);
  });

  const portOf = (): number => (inner.address() as AddressInfo).port;
});

describe('held: names of branches', () => {
  it.each([
    '--upload-pack=touch',
    '-b',
    '--',
    'main/../main',
    '.lock',
    '..',
    '../main',
    'main..main',
    'main~1',
    'main^',
    'main^{commit}',
    'main@{1}',
    '@',
    'HEAD',
    'refs/heads/main',
    'main:readme.md',
    ':/first',
    'main\n',
    'main\0',
    '$(touch x)',
    '`touch x`',
    'a'.repeat(5_000),
    'main main',
  ])('%j', async (target_branch) => {
    const { project_id, repo_id } = await shared;
    const task_id = await givenTask(ground.kanban, project_id);
    const refused = await ground.kanban.refused('start_task_attempt', {
      task_id,
      executor: 'SHELL',
      repos: [{ repo_id, target_branch }],
    });
    expect(['branch_unknown', 'invalid_argument']).toContain(refused.code);
  });
  let shared: Promise<Project>;
  beforeAll(() => {
    shared = ground.rootedProject();
  });
});

describe('S15', () => {
  it('a password in a URL is stored, passed on or kept', async () => {
    ground.rooted.repository('guarded');
    const server = await GitHttpServer.start(ground.rooted.dir, { password: PASSWORD });
    const other = await AttackGround.open({ REPOSITORY_HOSTS: server.host, SHELL_EXECUTOR: 'on' });
    try {
      const url = `http://user:${PASSWORD}@${server.host}/guarded/.git`;
      const { project_id } = await other.rest.does('POST', '/api/projects', {
        name: 'x',
        repos: [{ url, name: 'web' }],
      });
      const script = 'env; cat "$(git rev-parse --git-common-dir)/config"; git remote -v; ps axww';
      const { attempt_id } = await givenEndedAttempt(other.kanban, project_id as string, script);
      const log = await other.kanban.call('tail_attempt_logs', { attempt_id, channel: 'raw', limit: 500 });
      const repos = await other.rest.does('GET', `/api/projects/${project_id}/repos`);
      const rows = await other.query('SELECT repos::text FROM repos');
      expect(JSON.stringify([log, repos, rows])).not.toContain(PASSWORD);
      expect(other.server.output).not.toContain(PASSWORD);
      const files = readdirSync(other.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const holding = files.filter(({ parentPath, name }) =>
        readFileSync(path.join(parentPath, name)).includes(PASSWORD),
      );
      expect(holding).toEqual([]);
    } finally {
      await other.close();
      await server.stop();
    }
  });

  it('a clone stays behind its last project', async () => {
    const source = ground.rooted.repository('cloned');
    const url = `file://${source.dir}`;
    const clones = path.join(ground.dataDir, 'repos');
    const projects = await Promise.all(
      ['One', 'Two'].map((name) => ground.rest.does('POST', '/api/projects', { name, repos: [{ url, name: 'web' }] })),
    );
    expect(readdirSync(clones)).toHaveLength(2);
    await givenEndedAttempt(ground.kanban, projects[0]!.project_id as string);
    for (const { project_id } of projects) await ground.rest.does('DELETE', `/api/projects/${project_id}`);
    await eventually('the clones to go', () => readdirSync(clones).length === 0);
  });
});
