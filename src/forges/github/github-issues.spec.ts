import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GitSandbox } from '../../../test/support/git-repository.js';
import { TestForge } from '../../../test/support/forge/test-forge.js';
import { loadEnvironment } from '../../config/environment.js';
import { ForgesService } from '../forges.service.js';
import type { ForgeIssue } from './github-issues.js';

describe('issues on GitHub', () => {
  let sandbox: GitSandbox;
  let server: TestForge;
  let forges: ForgesService;
  beforeAll(async () => {
    sandbox = new GitSandbox();
    server = await TestForge.start('github', sandbox.path('forge'));
    forges = new ForgesService(loadEnvironment({ FORGES_FILE: server.settingsFile(sandbox.dir) }));
  });
  afterAll(async () => {
    await server.stop();
    sandbox.remove();
  });
  beforeEach(() => {
    server.faults.length = 0;
  });

  const all = async (repository: string) => {
    const found: ForgeIssue[] = [];
    for await (const issue of forges.issuesOnGithub(repository).issues) found.push(issue);
    return found;
  };

  it('are read page by page, with what is closed', async () => {
    const { issues } = server.create('ada/shop');
    issues.push({ title: 'A', body: 'Text', labels: ['bug'], assignee: 'ada' }, { title: 'B' }, { title: 'C' });
    issues.push({ title: 'D', closed: 'completed' }, { title: 'E', closed: 'not_planned' });
    const found = await all('ada/shop');
    expect(found.map(({ title, state }) => [title, state])).toEqual([
      ['A', 'open'],
      ['B', 'open'],
      ['C', 'open'],
      ['D', 'done'],
      ['E', 'not_planned'],
    ]);
    expect(found[0]).toEqual({
      number: 100,
      url: `${server.url}/ada/shop/issues/100`,
      title: 'A',
      body: 'Text',
      labels: ['bug'],
      assignee: 'ada',
      state: 'open',
      created_at: new Date('2026-01-02T10:00:00Z'),
      updated_at: new Date('2026-01-02T10:00:00Z'),
      closed_at: null,
    });
    expect(server.requestsTo(/ada\/shop\/issues$/)).toHaveLength(3);
  });

  it('are refused of a repository that is not shown, and while the forge fails', async () => {
    await expect(all('ada/none')).rejects.toMatchObject({ code: 'forge_repository_not_found' });
    server.create('ada/broken').issues.push({ title: 'A' });
    server.faults.push({ on: /ada\/broken/, kind: { status: 500 } });
    await expect(all('ada/broken')).rejects.toMatchObject({ code: 'forge_failed' });
  });

  it('are nowhere where no GitHub is configured, or another host is meant', () => {
    expect(() => forges.issuesOnGithub('ada/shop', 'github.example')).toThrow(/No forge is configured/);
    const none = new ForgesService(loadEnvironment({}));
    expect(() => none.issuesOnGithub('ada/shop')).toThrow(/No forge is configured/);
  });
});
