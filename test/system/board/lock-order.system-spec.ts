import { beforeAll, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { givenProject } from '../../support/board.js';

const LANES = 10;
const ROUNDS = 6;
const board = Board.use();
beforeAll(async () => {
  await board.worker('@claude');
});

/** Locks are taken in the order idempotency key, attempt, task, project: whoever breaks it meets another here. */
it('no two writers on the same tasks wait for each other in a circle', async () => {
  const { project_id } = await givenProject(board.server, {});
  const tasks = await Promise.all([1, 2, 3].map((n) => board.task(project_id, `Task ${n}`)));
  const before = await deadlocks();
  const answers = await Promise.all(Array.from({ length: LANES }, (_, lane) => work(lane, tasks)));
  const second = await board.rest.send('DELETE', `/api/projects/${await filledProject()}`);
  expect(second.status).toBe(200);
  expect(answers.flat().filter((answer) => /40P01|deadlock|internal_error/i.test(answer))).toEqual([]);
  expect(answers.flat().filter((answer) => /"attempt_id"/.test(answer)).length).toBeGreaterThan(LANES);
  await new Promise((done) => setTimeout(done, 1_500)); // the statistics arrive late
  expect(await deadlocks()).toBe(before);
});

async function work(lane: number, tasks: string[]): Promise<string[]> {
  const answers: string[] = [];
  const call = async (name: string, args: object) =>
    answers.push(JSON.stringify(await board.kanban.sdk.callTool({ name, arguments: args as Record<string, unknown> })));
  for (let round = 0; round < ROUNDS; round += 1) {
    const task_id = tasks[(lane + round) % tasks.length]!;
    await call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'true', request_id: `${lane}.${round}` });
    const attempt_id = /"attempt_id\\*":\s*\\*"([0-9a-f-]{36})/.exec(answers.at(-1)!)?.[1];
    await Promise.all([
      call('update_task', { task_id, status: ['todo', 'inprogress', 'inreview'][round % 3] }),
      attempt_id ? call('follow_up', { attempt_id, action: 'queue', prompt: 'true' }) : Promise.resolve(),
      board.rest.send('PATCH', `/api/tasks/${task_id}/assign`, { assignee_handle: '@claude' }),
      board.colibri.sdk.callTool({
        name: 'thought_record',
        arguments: { task_id, type: 'plan', agent_id: 'x', content: 'x' },
      }),
      round % 2 === 0 && attempt_id ? call('stop_attempt', { attempt_id, force: true }) : Promise.resolve(),
      board.rest.send('POST', `/api/tasks/${task_id}/subtasks`, { title: 'Below' }),
      round === ROUNDS - 1 ? call('delete_task', { task_id }) : Promise.resolve(),
    ]);
  }
  return answers;
}

/** A project whose tasks are written while it is deleted. */
async function filledProject(): Promise<string> {
  const project_id = await board.bareProject();
  const tasks = await Promise.all(Array.from({ length: 20 }, (_, n) => board.task(project_id, `Task ${n}`)));
  for (const task_id of tasks)
    void board.rest.send('PUT', `/api/tasks/${task_id}`, { stage: 'PLAN' }).catch(() => undefined); // may come too late
  return project_id;
}

async function deadlocks(): Promise<number> {
  const [row] = await board.server.query<{ deadlocks: number }>(
    'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return row!.deadlocks;
}
