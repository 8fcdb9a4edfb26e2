import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { AgentGround } from './agent-ground.js';
import { allExecutors, describeEach } from './cli/installed-clis.js';
import { edits } from './model-server/scenarios.js';

describeEach(allExecutors, (cli) => {
  let ground: AgentGround;

  beforeAll(async () => {
    ground = await AgentGround.start(cli);
  });
  afterAll(() => ground?.stop());

  it('is told what failed of its work, repairs it in the same session, and has it merged', async () => {
    const { project_id, repo_id, repository } = ground.project;
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    await ground.rest.does('PUT', `/api/projects/${project_id}`, { checks: 'block' });
    // Each turn writes a line. A command that named the file would need a person's yes for each change of it.
    const command = `cat by-c* && test $(cat by-c* | wc -l) -ge 2`;
    const checks = [{ name: 'two lines', command }];
    await ground.rest.does('PUT', `/api/projects/${project_id}/repos/${repo_id}/checks`, { checks });
    const attempt_id = await ground.begin('edit', 'Write two files.');
    const status = () => ground.client.call('get_attempt_status', { attempt_id });
    await eventually('work that passes', async () => (await status()).checks_state === 'passed');
    expect(await ground.rest.does('GET', `/api/attempts/${attempt_id}/checks`)).toMatchObject({ rounds_used: 1 });
    const [asked] = ground.model.asked('of your work failed (round 1 of 2)');
    expect(asked!.prompt).toContain('by a command');
    expect(asked!.whole).toContain('Write two files.');
    expect(await ground.agentSession(attempt_id)).toEqual(expect.any(String));
    expect(await ground.client.call('merge_attempt', { attempt_id })).toMatchObject({ state: 'merged' });
    expect(repository.git('show', `main:${edits.command}`)).toBe('by a command\nby a command');
  });
});
