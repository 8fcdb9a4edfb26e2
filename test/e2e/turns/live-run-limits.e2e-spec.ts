import { describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';

describe('live runs', () => {
  const board = Board.use({
    MAX_LIVE_RUNS_PER_PRINCIPAL: '2',
    MAX_LIVE_RUNS_PER_PROJECT: '3',
    MAX_CONCURRENT_EXECUTIONS: '1',
  });

  const start = (user: string, project_id: string, script: string) => async () => {
    const rest = board.as(user);
    const { task_id } = await rest.does('POST', `/api/projects/${project_id}/tasks`, { title: 'Run' });
    return rest.send('POST', `/api/tasks/${task_id}/attempts`, { executor: 'SHELL', prompt: script });
  };
  const refusal = (limit: string, live: number) => ({
    status: 429,
    body: { code: 'too_many_runs', retryable: true, details: { limit, live } },
  });

  it('of one caller and of one project are limited, also by parallel starts, and the refusal says which', async () => {
    const { project_id } = await board.project();
    const held = gate(board.server);
    const ada = start('ada', project_id, held.wait);
    const starts = await Promise.all([ada(), ada(), ada(), ada()]);
    expect(starts.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429]);
    expect(starts.find(({ status }) => status === 429)).toMatchObject(refusal('MAX_LIVE_RUNS_PER_PRINCIPAL', 2));
    const bob = start('bob', project_id, held.wait);
    expect((await bob()).status).toBe(201);
    expect(await bob()).toMatchObject(refusal('MAX_LIVE_RUNS_PER_PROJECT', 3));
    const refused = await board.server.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM attempts WHERE project_id = $1',
      [project_id],
    );
    expect(refused).toEqual([{ count: 3 }]);
    held.open();
    for (const { body } of starts.filter(({ status }) => status === 201))
      await board.untilEnded(body.attempt_id as string);
    expect((await ada()).status).toBe(201);
  });
});
