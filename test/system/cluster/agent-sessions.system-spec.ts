import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { givenProject, givenTask, untilEnded } from '../../support/board.js';
import { ClusterGround } from '../../support/cluster-ground.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

describe('the conversation of an agent whose home is gone', () => {
  const ground = ClusterGround.use();
  let project_id: string;
  beforeAll(async () => {
    await ground.runner('one');
    ({ project_id } = await givenProject(ground.api));
  });

  const talk = async (prompt: string): Promise<string> => {
    const task_id = await givenTask(ground.client, project_id);
    const started = { task_id, executor: 'DEMO', prompt };
    const { attempt_id } = await ground.client.call('start_task_attempt', started);
    await untilEnded(ground.client, attempt_id as string);
    return attempt_id as string;
  };
  const goOn = async (attempt_id: string): Promise<Json> => {
    await ground.client.call('follow_up', { attempt_id, action: 'send', prompt: 'say again' });
    return untilEnded(ground.client, attempt_id);
  };
  const lostSessions = async (attempt_id: string): Promise<Json[]> => {
    const { page } = await ground.client.call('tail_attempt_logs', { attempt_id, limit: 100 });
    return page.entries.filter(({ entry }: Json) => entry.metadata?.kind === 'session_lost') as Json[];
  };
  const filesOf = (runner: string): string[] =>
    readdirSync(ground.path(runner), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /demo-sessions[^/]*\/[^/]+\.json$/.test(name),
    );

  it('goes on where the work does; without its file the agent is told what was said', async () => {
    const [kept, unkept] = [await talk('say hello'), await talk('say hello')];
    await ground.api.query('DELETE FROM agent_session_files WHERE attempt_id = $1', [unkept]);
    await ground.end('one');
    await ground.runner('two');
    expect(await goOn(kept)).toMatchObject({ final_message: expect.stringContaining('turn 2') });
    expect(await lostSessions(kept)).toEqual([]);
    const [file, ...others] = filesOf('two');
    expect(others).toEqual([]);
    expect(JSON.parse(readFileSync(ground.path('two', file!), 'utf8'))).toMatchObject({ turns: 2 });
    expect(await goOn(unkept)).toMatchObject({ final_message: expect.stringContaining('turn 1') });
    expect(await lostSessions(unkept)).toHaveLength(1);
  });

  it('is the newest, where the first home comes back', async () => {
    const attempt_id = await talk('say hello');
    await ground.runner('three');
    await ground.end('two');
    await goOn(attempt_id);
    await ground.runner('two');
    await ground.end('three');
    expect(await goOn(attempt_id)).toMatchObject({ final_message: expect.stringContaining('turn 3') });
  });

  it('goes with the logs of a deleted task', async () => {
    const attempt_id = await talk('say hello');
    const rows = () => ground.api.query('SELECT 1 FROM agent_session_files WHERE attempt_id = $1', [attempt_id]);
    expect(await rows()).toHaveLength(1);
    const { task_id } = await ground.client.call('get_attempt_status', { attempt_id });
    await ground.client.call('delete_task', { task_id });
    await passKeptDay(ground.api.database);
    await eventually('its file to be gone', async () => (await rows()).length === 0);
  });
});
