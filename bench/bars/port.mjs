import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gitEnvironment } from '../../dist/src/config/child-environment.js';
import { Git } from '../../dist/src/git/git.js';
import { LocalWorkspaceHost } from '../../dist/src/workspaces/local-workspace-host.js';
import { PortClient } from '../../dist/src/workspaces/port/port-client.js';
import { PortServer } from '../../dist/src/workspaces/port/port-server.js';
import { absolute, format, ratio } from '../figures.mjs';
import { makeRepository } from '../ground/repositories.mjs';
import { interleave } from '../measure/interleave.mjs';
import { median } from '../measure/statistics.mjs';
import { tell } from '../slices.mjs';

const FILES = 5_000;
const ROUNDS = 7;
const GUARD = { guard: { max_files: 500, max_lines: 25_000, max_bytes: 52_428_800 }, force: false };

/** Changes over the workspace port against the same call in one process, and a worktree rebuilt from its snapshot. */
export async function port(ground) {
  const repository = makeRepository(ground.place('repository'), FILES);
  const home = hostIn(ground.place('home'), 'home');
  const workspace = await prepared(home, repository);
  change(home.repositoryDirectory(workspace, 'app'));
  return [await overThePort(home, workspace), await rebuilt(ground, home, workspace, repository)];
}

async function overThePort(home, workspace) {
  const secret = 'a secret of at least thirty-two characters';
  const server = new PortServer(home, 'home', secret);
  const client = new PortClient(secret);
  const end = { runner_id: 'home', address: `127.0.0.1:${await server.listen(0, '127.0.0.1')}` };
  const slices = await interleave(
    {
      call: () => timed(() => home.changes(workspace, GUARD)),
      port: () => timed(() => client.call(end, 'changes', [workspace, GUARD])),
    },
    { figure: 'latencyMs' },
  );
  client.close();
  await server.close();
  const { p50, times } = tell(slices);
  return ratio(
    `changes over the workspace port, 100 changed of ${format(FILES)} files, p50`,
    p50('port'),
    `the same call in one process: ${p50('call')}`,
    times('port', 'call'),
    { atMost: 1.3 },
  );
}

/** Into a clone, as on another machine whose mirror is warm. */
async function rebuilt(ground, home, workspace, repository) {
  const snapshots = await home.snapshot(workspace, { known: {}, maxBytes: 64 * 1024 * 1024, store: 'database' });
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const clone = path.join(ground.place('machine'), 'app');
    execFileSync('git', ['clone', '--quiet', '--no-local', repository, clone]);
    const moved = { ...workspace, repos: workspace.repos.map((repo) => ({ ...repo, repo_path: clone })) };
    const host = hostIn(ground.place('other'), 'other');
    const { latencyMs } = await timed(() => host.rebuild(moved, { from: 'home', snapshots }));
    times.push(latencyMs);
  }
  const what = `a worktree of ${format(FILES)} files rebuilt from its snapshot, p50 of ${ROUNDS}`;
  return absolute(what, median(times) / 1_000, 's', 'git by hand, on a RAM disk: 0.45 s', { below: 2 });
}

function hostIn(dataDir, owner) {
  const settings = { DATA_DIR: dataDir, HOST: '127.0.0.1', REPOSITORY_ROOTS: [], REPOSITORY_HOSTS: [] };
  return new LocalWorkspaceHost(settings, new Git(gitEnvironment()), { owner });
}

async function prepared(host, repository) {
  const repo = { repo_name: 'app', repo_path: repository, target_branch: 'main', base_commit: null };
  const workspace = {
    attempt_id: '0198c0de-0000-7000-8000-000000000001',
    branch: 'ty/0198c0de-port',
    home: 'home',
    repos: [repo],
  };
  const { app } = await host.prepare(workspace);
  return { ...workspace, repos: [{ ...repo, base_commit: app }] };
}

function change(tree) {
  for (let at = 0; at < 50; at += 1) {
    mkdirSync(path.join(tree, `folder-${at}`), { recursive: true });
    appendFileSync(path.join(tree, `folder-${at}`, `file-${at * 100}.txt`), 'more\n');
    writeFileSync(path.join(tree, `folder-${at}`, 'new.txt'), 'new\n');
  }
}

async function timed(action) {
  const startedAt = performance.now();
  await action();
  return { latencyMs: performance.now() - startedAt };
}
