import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ForgeGround } from '../../support/forge/forge-ground.js';
import type { Json } from '../../support/mcp-client.js';
import { ShellUser } from '../../support/shell-user.js';

describe('work that is delivered from a terminal', () => {
  const ground = ForgeGround.use('github');
  let user: ShellUser;
  beforeAll(() => {
    user = new ShellUser(ground.board.server.url);
  });
  afterAll(() => user.remove());

  it('is pushed, and becomes a pull request', async () => {
    const { repository } = await ground.board.project();
    const remote = ground.published(repository);
    const types = (...args: string[]) => user.types(args, repository.dir);
    await types('run', 'echo 1 > one.txt', '--executor', 'SHELL', '--watch');
    expect(await types('push')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^web: (created|pushed) [0-9a-f]{12}\n$/),
    });
    const asked = await types('pr', '--draft', '--title', 'One file', '--json');
    const [opened] = (JSON.parse(asked.stdout) as { repos: Json[] }).repos;
    expect([asked.code, remote.find(1)]).toEqual([0, expect.objectContaining({ title: 'One file', draft: true })]);
    const again = await types('pr');
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(String(opened!.pull_request.url))]);
    expect((await types('status')).stdout).toContain(String(opened!.pull_request.url));
  });
});
