import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { ownPort } from '../support/own-port.js';
import { RestClient } from '../support/rest-client.js';
import { Container, made, podman } from './container.js';

interface Images {
  server: string;
  agents: string;
  pinned: { package: string; program: string; version: string }[];
  /** Why there are none. */
  why?: string;
}

const { server, agents, pinned, why } = JSON.parse(process.env.TEST_IMAGES!) as Images;
const TOKEN = 'a-token-of-the-image-that-is-long-enough-0123';
/** Base and packages of Debian; a dependency that doubles the image is noticed. */
const MAX_SERVER_BYTES = 700 * 1024 ** 2;
/** All that Docker and an orchestrator would have to lift for the sandbox. */
const UNCONFINED = ['--security-opt', 'seccomp=unconfined', '--security-opt', 'unmask=ALL'];
const describeImage = why ? describe.skip : describe;

describeImage(`the image${why ? ` (skipped: ${why})` : ''}`, () => {
  let database: TestDatabase;
  const containers: Container[] = [];
  /** Repositories of this machine that a container is shown. */
  const shared = mkdtempSync(path.join(tmpdir(), 'taskyard-image-'));
  beforeAll(async () => {
    chmodSync(shared, 0o777);
    database = await createTestDatabase();
  });
  afterAll(async () => {
    containers.forEach((container) => container.remove());
    await database.drop();
    rmSync(shared, { recursive: true });
  });

  const start = async (settings: Record<string, string>, options: string[] = []) => {
    const port = await ownPort();
    const common = { DATABASE_URL: database.url, TASKFLOW_SERVICE_TOKEN: TOKEN, PORT: String(port) };
    const container = Container.start(server, { ...common, ...settings }, options);
    containers.push(container);
    const url = `http://127.0.0.1:${port}`;
    await container.ready(url);
    return { container, rest: new RestClient(url, { authorization: `Bearer ${TOKEN}` }) };
  };

  it('is small, says how it is run, and holds no secret, no source and no tool for building', () => {
    const [found] = JSON.parse(podman('image', 'inspect', server)) as [Record<string, unknown>];
    expect(found).toMatchObject({
      User: 'taskyard',
      Config: {
        Entrypoint: ['tini', '--'],
        ExposedPorts: { '8000/tcp': {}, '8002/tcp': {} },
        Volumes: { '/data': {} },
      },
      Healthcheck: { Test: expect.arrayContaining(['CMD', 'node']) },
    });
    expect(found.Size).toBeLessThan(MAX_SERVER_BYTES);
    const environment = (found.Config as { Env: string[] }).Env.map((line) => line.split('=')[0]);
    expect(environment.filter((name) => /TOKEN|SECRET|PASSWORD|DATABASE_URL/.test(name!))).toEqual([]);
    const history = podman('history', '--no-trunc', '--format', '{{.CreatedBy}}', server);
    expect(history).not.toMatch(/ARG .*(TOKEN|SECRET|PASSWORD)/);
  });

  it('runs confined: not as root, writes to its volume alone, has tini, git and bubblewrap, is healthy', async () => {
    const { container } = await start({ ISOLATION: 'none' });
    expect(container.exec('id', '-u').trim()).toBe('10001');
    expect(container.exec('cat', '/proc/1/comm').trim()).toBe('tini');
    expect(container.fails('touch', '/app/x')).toBe(true);
    expect(container.fails('touch', '/etc/x')).toBe(true);
    expect(container.fails('ls', '/app/src')).toBe(true);
    expect(container.fails('sh', '-c', 'ls /app/node_modules/typescript')).toBe(true);
    expect(container.exec('git', '--version')).toMatch(/^git version 2\.(3[89]|[4-9]\d)/);
    expect(container.exec('bwrap', '--version')).toMatch(/^bubblewrap /);
    expect(podman('healthcheck', 'run', container.id)).toBe('');
    expect(container.exec('node', 'dist/bundle/doctor.js')).toMatch(/^0 faults/m);
    expect(container.log()).not.toContain(TOKEN);
    expect([0, 143]).toContain(await container.stop());
  });

  it('works a turn through in its sandbox, and ends in order while another one runs', async () => {
    const settings = { ISOLATION: 'bubblewrap', SHELL_EXECUTOR: 'on', REPOSITORY_ROOTS: '/srv' };
    const { container, rest } = await start(settings, [...UNCONFINED, '--volume', `${shared}:/srv`]);
    container.exec('sh', '-c', MAKE_REPOSITORY);
    const { project_id } = await made(rest, '/api/projects', { name: 'Image', repos: [{ path: '/srv/app' }] });
    const { task_id } = await made(rest, `/api/projects/${project_id}/tasks`, { title: 'Work' });
    const attempt = (prompt: string) => made(rest, `/api/tasks/${task_id}/attempts`, { executor: 'SHELL', prompt });
    const { attempt_id } = await attempt('ls /data; id -u; echo done > result.txt');
    const ended = async () => ((await rest.get(`/api/attempts/${attempt_id}?wait_ms=5000`)).body as State).state;
    await eventually('the turn', async () => (await ended()) === 'completed', 60_000);
    const { body } = await rest.get(`/api/attempts/${attempt_id}/changes`);
    expect(body).toMatchObject({ files: ['app/result.txt'] });
    await attempt('sleep 1000');
    expect([0, 143]).toContain(await container.stop());
    expect(podman('ps', '--quiet', '--filter', `id=${container.id}`)).toBe('');
  });

  it('has every agent at its pinned version', () => {
    const declared = JSON.parse(
      readFileSync(path.join(import.meta.dirname, '../../docker/agents/package.json'), 'utf8'),
    ) as { dependencies: Record<string, string> };
    expect(declared.dependencies).toEqual(Object.fromEntries(pinned.map((cli) => [cli.package, cli.version])));
    for (const { program, version } of pinned) {
      const said = podman(
        'run',
        '--rm',
        '--network',
        'none',
        '--tmpfs',
        '/home/taskyard',
        agents,
        program,
        '--version',
      );
      expect([program, said]).toEqual([program, expect.stringContaining(version)]);
    }
  });
});

interface State {
  state: string;
}

const MAKE_REPOSITORY =
  'git init -q -b main /srv/app && cd /srv/app && echo hello > readme.md && git add . && ' +
  'git -c user.name=a -c user.email=a@b commit -qm start';
