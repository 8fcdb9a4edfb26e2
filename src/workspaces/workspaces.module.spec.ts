import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, expect, it } from '@jest/globals';
import { GitSandbox } from '../../test/support/git-repository.js';
import { ENVIRONMENT, loadEnvironment } from '../config/environment.js';
import { WORKSPACE_HOST, type WorkspaceHost } from './workspace-host.js';
import { WorkspacesModule } from './workspaces.module.js';

const box = new GitSandbox();
afterEach(() => box.remove());

@Global()
@Module({
  providers: [{ provide: ENVIRONMENT, useValue: loadEnvironment({ DATA_DIR: box.path('data') }) }],
  exports: [ENVIRONMENT],
})
class SettingsModule {}

it('gives the host of this machine, below DATA_DIR', async () => {
  const app = await Test.createTestingModule({ imports: [SettingsModule, WorkspacesModule] }).compile();
  await app.init();
  const host = app.get<WorkspaceHost>(WORKSPACE_HOST);
  const repository = box.repository('app');
  expect(await host.inspect(repository.dir)).toEqual({ root: repository.dir, default_branch: 'main' });
  expect(host.repositoryDirectory({ attempt_id: 'a', branch: 'b', home: null, repos: [] }, 'app')).toBe(
    box.path('data/worktrees/a/app'),
  );
  await app.close();
});
