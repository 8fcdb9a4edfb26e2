import { describe, expect, it } from '@jest/globals';
import { similarNames } from './similar-names.js';

const tools = ['create_task', 'get_task', 'list_tasks', 'start_task_attempt', 'stop_attempt', 'tail_attempt_logs'];

describe('similar names', () => {
  it.each([
    ['createTask', 'create_task'],
    ['mcp__taskyard__get_task', 'get_task'],
    ['list-tasks', 'list_tasks'],
    ['stop', 'stop_attempt'],
    ['tail_logs', 'tail_attempt_logs'],
    ['start_attempt', 'start_task_attempt'],
  ])('of %s begin with %s', (wrong, right) => {
    expect(similarNames(wrong, tools)[0]).toBe(right);
  });

  it('are at most three, and none for what is like nothing', () => {
    expect(similarNames('task', tools).length).toBeLessThanOrEqual(3);
    expect(similarNames('x'.repeat(100_000), tools)).toEqual([]);
    expect(similarNames('', tools)).toEqual([]);
  });
});
