import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import { tokensOf } from '../../support/tokens.js';

const board = Board.use();
let project_id: string;
let folder: string;
beforeAll(async () => {
  const project = await board.project();
  [project_id, folder] = [project.project_id, project.repository.dir];
});

/** As a model reads it, the repository in a folder of a usual name. */
const cost = async (tool: string, args: object): Promise<{ answer: Json; tokens: number }> => {
  const answer = await board.kanban.call(tool, args);
  return { answer, tokens: tokensOf(JSON.stringify(answer).replaceAll(folder, '/srv/repositories/web')) };
};

describe('what a model reads of answers', () => {
  it('of the loop, call by call, is at most 1900 tokens', async () => {
    const spent: [string, number][] = [];
    const call = async (tool: string, args: object): Promise<Json> => {
      const { answer, tokens } = await cost(tool, args);
      spent.push([tool, tokens]);
      return answer;
    };
    await call('list_repos', { project_id });
    await call('list_executors', {});
    const description = 'set -e\necho hello > greeting.txt\necho done';
    const { task_id } = await call('create_task', { project_id, title: 'Greet', description });
    const { attempt_id } = await call('start_task_attempt', { task_id, executor: 'SHELL' });
    await board.untilEnded(attempt_id as string);
    await call('get_attempt_status', { attempt_id, wait_ms: 20_000 });
    await call('tail_attempt_logs', { attempt_id });
    await call('get_attempt_changes', { attempt_id });
    await call('get_attempt_patch', { attempt_id, paths: ['web/greeting.txt'] });
    await call('get_attempt_file', { attempt_id, path: 'web/greeting.txt' });
    await call('get_attempt_delivery', { attempt_id });
    await call('merge_attempt', { attempt_id, checked_out: 'update' });
    await call('get_task', { task_id });
    const sum = spent.reduce((total, [, tokens]) => total + tokens, 0);
    console.log(`the loop: ${sum} tokens`, Object.fromEntries(spent));
    expect(spent).toHaveLength(12);
    expect(sum).toBeLessThanOrEqual(1_900);
  });

  it('of fifty tasks by three fields is at most 2200 tokens', async () => {
    const many = await board.bareProject();
    for (let n = 0; n < 50; n += 1) await board.task(many, `Add a health check ${n}`);
    const fields = ['task_id', 'title', 'status'];
    const { answer, tokens } = await cost('list_tasks', { project_id: many, fields });
    console.log(`fifty tasks: ${tokens} tokens`);
    expect(answer.count).toBe(50);
    expect(tokens).toBeLessThanOrEqual(2_200);
  });
});
