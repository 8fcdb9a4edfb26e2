import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { givenWorktree } from '../../support/delivery-ground.js';
import { givenProject } from '../../support/board.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { McpClient } from '../../support/mcp-client.js';
import { RestClient } from '../../support/rest-client.js';
import { TestServer } from '../../support/server.js';
import { userCheckout } from '../../support/user-checkout.js';

describe('the branches of an attempt', () => {
  const server = TestServer.use();
  let rest: RestClient;
  let kanban: McpClient;
  let repository: GitRepository;
  let tree: GitRepository;
  let attempt_id: string;
  let project_id: string;
  let branch: string;

  beforeAll(async () => {
    rest = new RestClient(server.url);
    kanban = await server.mcp();
  });
  beforeEach(async () => {
    const project = await givenProject(server);
    ({ repository, project_id } = project);
    const made = await givenWorktree({ server, kanban }, project.project_id);
    tree = made.tree;
    attempt_id = made.attempt.attempt_id as string;
    branch = made.attempt.workspace_branch as string;
    tree.write({ 'readme.md': 'ours\n' });
    tree.commit('ours');
  });

  it('can be renamed, worktree and all', async () => {
    const before = userCheckout(repository);
    const renamed = await rest.does('PUT', `/api/attempts/${attempt_id}/branch`, { branch: 'feature/readme' });
    expect(renamed).toMatchObject({ repos: [{ branch: 'feature/readme', ahead: 1 }] });
    expect(tree.git('branch', '--show-current')).toBe('feature/readme');
    expect(repository.branches()).toEqual(['feature/readme', 'main']);
    expect((await kanban.call('get_attempt_status', { attempt_id })).workspace_branch).toBe('feature/readme');
    expect({ ...userCheckout(repository), '.git/config': before['.git/config'] }).toEqual(before);
  });

  it('are not renamed to what is taken or no name', async () => {
    const codes = {
      branch_taken: ['main', 'main/deeper'],
      invalid_argument: ['two words', '-d', '@{u}', 'main^{tree}'],
    };
    for (const [code, names] of Object.entries(codes))
      for (const name of names) await rest.refuses(code, 'PUT', `/api/attempts/${attempt_id}/branch`, { branch: name });
    expect(tree.git('branch', '--show-current')).toBe(branch);
  });

  it('S18: are led to no target that is the name of no branch', async () => {
    const path = `/api/attempts/${attempt_id}`;
    for (const target_branch of ['@{u}', 'main^{tree}', 'HEAD']) {
      await rest.refuses('invalid_argument', 'PUT', `${path}/target-branch`, { target_branch });
      await rest.refuses('invalid_argument', 'POST', `${path}/branch/update`, { action: 'start', target_branch });
    }
  });

  it('S18: leave a row in the audit for a new name, another target, and each update', async () => {
    const path = `/api/attempts/${attempt_id}`;
    await rest.does('PUT', `${path}/branch`, { branch: 'feature/audited' });
    repository.git('branch', 'release');
    await rest.does('PUT', `${path}/target-branch`, { target_branch: 'release' });
    repository.write({ 'readme.md': 'theirs\n' });
    repository.commit('theirs');
    await rest.does('POST', `${path}/branch/update`, { action: 'start', target_branch: 'main' });
    await rest.does('POST', `${path}/branch/update`, { action: 'abort' });
    const { entries } = await rest.does('GET', `/api/audit?project_id=${project_id}&limit=4`);
    expect(entries).toMatchObject([
      { action: 'update_aborted', project_id, details: { attempt_id } },
      { action: 'conflicts_found', project_id, details: { attempt_id } },
      { action: 'target_changed', project_id, details: { attempt_id, before: 'main', after: 'release' } },
      { action: 'branch_renamed', project_id, details: { attempt_id, before: branch, after: 'feature/audited' } },
    ]);
  });

  it('can be led to another target, which exists', async () => {
    const path = `/api/attempts/${attempt_id}/target-branch`;
    await rest.refuses('branch_unknown', 'PUT', path, { target_branch: 'nowhere' });
    await rest.refuses('invalid_argument', 'PUT', path, { target_branch: branch }); // merged into itself, always
    repository.git('branch', 'release');
    expect(await rest.does('PUT', path, { target_branch: 'release' })).toMatchObject({
      repos: [{ target_branch: 'release', ahead: 1 }],
    });
    await kanban.call('merge_attempt', { attempt_id });
    expect(repository.git('show', 'release:readme.md')).toBe('ours');
  });

  it('refuses a target of a remote that is not there, and one without a commit in common', async () => {
    const path = `/api/attempts/${attempt_id}/target-branch`;
    repository.git('update-ref', 'refs/remotes/origin/far', 'main');
    await rest.does('PUT', path, { target_branch: 'origin/far' });
    await rest.refuses('no_remote', 'POST', `/api/attempts/${attempt_id}/merge`, {});
    repository.git('branch', 'stranger', repository.git('commit-tree', '-m', 'another root', 'main^{tree}'));
    await rest.does('PUT', path, { target_branch: 'stranger' });
    await rest.refuses('unrelated_histories', 'POST', `/api/attempts/${attempt_id}/merge`, {});
  });

  it('keeps an update that stands through a restart of the server', async () => {
    const head = tree.head;
    repository.write({ 'readme.md': 'theirs\n' });
    repository.commit('theirs');
    const start = await rest.does('POST', `/api/attempts/${attempt_id}/rebase`, {});
    expect(start).toMatchObject({ state: 'conflicted', repos: [{ conflict: { operation: 'rebase' } }] });
    await server.restart();
    const again = new RestClient(server.url);
    const path = `/api/attempts/${attempt_id}`;
    expect(await again.does('GET', `${path}/branch-status`)).toMatchObject({ state: 'conflicted' });
    await again.refuses('conflicts_unresolved', 'POST', `${path}/branch/update`, { action: 'continue' });
    expect(await again.does('POST', `${path}/conflicts/abort`, {})).toMatchObject({
      repos: [{ status: 'aborted', head }],
    });
  });
});
