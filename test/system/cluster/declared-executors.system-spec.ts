import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { demoProfile } from '../../../src/executors/demo/demo-profile.js';
import { givenAttempt, givenProject, untilEnded } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

describe('an executor that only a runner declares', () => {
  const ground = ClusterGround.use();
  const folder = mkdtempSync(path.join(tmpdir(), 'taskyard-agent-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is listed, completed and started by a replica without it, and unknown without the runner', async () => {
    await ground.runner('plain');
    const { project_id } = await givenProject(ground.api);
    const start = { executor: 'OURS', prompt: 'say hello' };
    expect(await refusal(project_id, start)).toMatchObject({ code: 'executor_unknown' });
    const { program: command, args, env } = demoProfile(folder, null);
    const ours = { id: 'OURS', command, args, env, protocol: 'acp', mcp: false, state: [folder] };
    const file = path.join(folder, 'executors.json');
    writeFileSync(file, JSON.stringify({ executors: [ours] }));
    await ground.runner('declaring', { EXECUTORS_FILE: file });
    const listed = await eventually('the executor in the list', async () => {
      const { executors } = await ground.client.call('list_executors');
      return (executors as Json[]).find(({ executor }) => executor === 'OURS');
    });
    expect(listed).toMatchObject({ is_available: true, variants: ['DEFAULT'], reason: null });
    expect(await completions('executor', 'ou')).toEqual(['OURS']);
    const { attempt_id } = await givenAttempt(ground.client, project_id, 'x', start);
    expect(await untilEnded(ground.client, attempt_id as string)).toMatchObject({ state: 'completed' });
  });

  async function completions(name: string, value: string): Promise<string[]> {
    const ref = { type: 'ref/prompt', name: 'work_on_task' } as const;
    return (await ground.client.sdk.complete({ ref, argument: { name, value } })).completion.values;
  }

  async function refusal(project_id: string, start: object): Promise<unknown> {
    const { task_id } = await ground.client.call('create_task', { project_id, title: 'x' });
    return ground.client.refused('start_task_attempt', { task_id, ...start });
  }
});
