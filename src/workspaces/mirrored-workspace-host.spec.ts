import { randomUUID } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WorkspaceSandbox } from '../../test/support/workspace-sandbox.js';
import { mirroredWorkspaceHost } from './mirrored-workspace-host.js';
import type { WorkspaceHost } from './workspace-host.js';
import { WorkspacePaths } from './workspace-paths.js';

describe('the host of one of several runners', () => {
  let box: WorkspaceSandbox;
  let url: string;
  const repo_id = randomUUID();

  beforeEach(() => {
    box = new WorkspaceSandbox();
    url = `file://${box.repository('app', { 'a.txt': 'a\n' }).dir}`;
  });
  afterEach(() => box.remove());

  /** Of a runner whose DATA_DIR has the one path that all of them have. */
  const hostOf = ({ host, dataDir }: WorkspaceSandbox): WorkspaceHost => {
    const paths = new WorkspacePaths(dataDir);
    return mirroredWorkspaceHost(host, { place: (id) => paths.clone(id), urlOf: () => Promise.resolve(url) });
  };

  it('clones what the other has at a path that both have', async () => {
    const { root: repo_path } = await box.host.clone(url, repo_id);
    renameSync(box.dataDir, box.path('disk-of-the-first'));
    const second = new WorkspaceSandbox({ within: box, dataDir: box.dataDir });
    const host = hostOf(second);
    expect(await host.branches(repo_path, 5)).toEqual(['main']);
    expect(await host.branchExists(repo_path, 'main')).toBe(true);
    const repos = [{ repo_name: 'app', repo_path, target_branch: 'main', base_commit: null }];
    const workspace = { attempt_id: randomUUID(), branch: 'ty/work', home: null, repos };
    expect(Object.keys(await host.prepare(workspace))).toEqual(['app']);
    expect(existsSync(repo_path)).toBe(true);
  });

  it('uses the clone that is there', async () => {
    const { root: repo_path } = await box.host.clone(url, repo_id);
    url = 'file:///gone';
    expect(await hostOf(box).branches(repo_path, 5)).toEqual(['main']);
  });
});
