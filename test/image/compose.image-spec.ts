import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { ownPort } from '../support/own-port.js';
import { RestClient } from '../support/rest-client.js';
import { made, podman } from './container.js';

interface Images {
  server: string;
  agents: string;
  database: string;
  why?: string;
}
interface Status {
  state: string;
  failure_summary: string | null;
}
interface Runner {
  runner_id: string;
  role: string;
  address: string;
  state: string;
  isolation: string;
}

const images = JSON.parse(process.env.TEST_IMAGES!) as Images;
const why = images.why ?? (spawnSync('podman-compose', ['--version']).error ? 'podman-compose is not installed' : null);
const describeCompose = why ? describe.skip : describe;
const PROJECT = 'taskyard-test';

/** compose.cluster.yaml as it is, but for the ports of this machine, and images that are at hand. */
describeCompose(`compose.cluster.yaml${why ? ` (skipped: ${why})` : ''}`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-compose-'));
  const file = path.join(folder, 'docker/compose.cluster.yaml');
  const replicas: RestClient[] = [];

  const compose = (...args: string[]) =>
    execFileSync('podman-compose', ['-p', PROJECT, '-f', file, ...args], {
      env: { ...process.env, POSTGRES_IMAGE: images.database, REPOSITORY_ROOTS: '/home/taskyard' },
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    });

  beforeAll(async () => {
    cpSync(path.join(import.meta.dirname, '../../docker'), path.dirname(file), {
      recursive: true,
      filter: (one) => path.basename(one) !== 'secrets',
    });
    execFileSync('sh', [path.join(folder, 'docker/make-secrets.sh')]);
    chmodSync(folder, 0o755);
    const token = readFileSync(path.join(folder, 'docker/secrets/service_token'), 'utf8');
    let text = readFileSync(file, 'utf8').replaceAll('taskyard-agents:latest', images.agents);
    text = text.replaceAll('taskyard:latest', images.server);
    for (const published of ['8000:8000', '8010:8000']) {
      const port = await ownPort();
      text = text.replace(`127.0.0.1:${published}`, `127.0.0.1:${port}:8000`);
      replicas.push(new RestClient(`http://127.0.0.1:${port}`, { authorization: `Bearer ${token}` }));
    }
    writeFileSync(file, text);
    compose('up', '-d', '--no-build');
  });
  afterAll(() => {
    compose('down', '--volumes');
    rmSync(folder, { recursive: true });
  });

  const runners = async (rest: RestClient): Promise<Runner[]> => {
    const answer = await rest.get('/api/runners').catch(() => null);
    const listed = answer?.status === 200 ? (answer.body as { runners: Runner[] }).runners : [];
    return listed.filter(({ role, state }) => role === 'runner' && state === 'ready');
  };

  it('brings up two API replicas that see two isolated runners', async () => {
    for (const rest of replicas)
      await eventually('both runners', async () => (await runners(rest)).length === 2, 120_000);
    for (const { address, isolation } of await runners(replicas[0]!)) {
      expect(address).toMatch(/^runner-[12]:8002$/);
      expect(isolation).toBe('bubblewrap');
    }
  });

  it('starts over one replica what the other one sees through', async () => {
    const [first, second] = replicas as [RestClient, RestClient];
    for (const name of ['runner-1', 'runner-2']) podman('exec', `${PROJECT}_${name}_1`, 'sh', '-c', MAKE_REPOSITORY);
    const repos = [{ url: 'file:///home/taskyard/app' }];
    const { project_id } = await made(first, '/api/projects', { name: 'Compose', repos });
    const { task_id } = await made(first, `/api/projects/${project_id}/tasks`, { title: 'Work' });
    const { attempt_id } = await made(first, `/api/tasks/${task_id}/attempts`, { executor: 'DEMO', prompt: 'commit' });
    const status = async () => (await second.get(`/api/attempts/${attempt_id}?wait_ms=5000`)).body as Status;
    const isOver = async () => ['completed', 'failed', 'killed', 'stopped'].includes((await status()).state);
    await eventually('the turn', isOver, 60_000);
    expect(await status()).toMatchObject({ state: 'completed', failure_summary: null });
    const changes = await second.get(`/api/attempts/${attempt_id}/changes`);
    expect([changes.status, changes.body]).toEqual([200, expect.objectContaining({ files: expect.any(Array) })]);
  });
});

const MAKE_REPOSITORY =
  'git init -q -b main /home/taskyard/app && cd /home/taskyard/app && echo hello > readme.md && git add . && ' +
  'git -c user.name=a -c user.email=a@b commit -qm start';
