import { describe, expect, it } from '@jest/globals';
import type { TaskOutput } from '../../tasks/task.dto.js';
import type { WorkflowTask } from './taskflow-board.repository.js';
import { taskflowPriority, toChangedTask, toTaskflowRow } from './taskflow-answers.js';

const id = '0198c0de-0000-7000-8000-000000000003';

describe("a priority in TaskFlow's words", () => {
  it.each([
    ['low', 'low'],
    ['medium', 'medium'],
    ['high', 'high'],
    ['critical', 'critical'],
    [' High ', 'high'],
    ['CRITICAL', 'critical'],
    ['P0', 'critical'],
    ['p1', 'high'],
    ['P2', 'medium'],
    ['p3', 'low'],
    ['Urgent', 'critical'],
    ['blocker', 'critical'],
    ['normal', 'medium'],
    ['minor', 'low'],
    ['whenever', 'medium'],
    ['', 'medium'],
    [null, 'medium'],
    ['constructor', 'medium'],
    ['__proto__', 'medium'],
  ])('%j reads as %s', (written, read) => expect(taskflowPriority(written)).toBe(read));
});

describe('a row of TaskFlow', () => {
  it('names the task, its status and its assignee, and its order as a number', () => {
    const task = {
      id,
      number: '9007199254740991',
      title: 'Task',
      taskflow_status: 'blocked',
      priority: null,
      progress_percent: 40,
      assignee_handle: '@ada',
      due_date: new Date('2026-11-21T12:00:00Z'),
      tags: ['a'],
    } as WorkflowTask;
    expect(toTaskflowRow(task)).toEqual({
      id,
      title: 'Task',
      status: 'blocked',
      priority: 'medium',
      progress_percent: 40,
      assignee_handle: '@ada',
      due_date: '2026-11-21T12:00:00.000Z',
      tags: ['a'],
      task_number: 9_007_199_254_740_991,
    });
    expect(toTaskflowRow({ ...task, due_date: null, assignee_handle: null })).toMatchObject({
      due_date: null,
      assignee_handle: null,
    });
  });
});

describe('the answer to a write', () => {
  const task = { task_id: id, title: 'Task', taskflow_status: 'review', progress_percent: 40 } as TaskOutput;

  it('says what was done, else where the task stands', () => {
    expect(toChangedTask(task, 'deleted')).toEqual({
      task_id: id,
      status: 'deleted',
      title: 'Task',
      progress_percent: 40,
    });
    expect(toChangedTask(task)).toMatchObject({ status: 'review' });
  });
});
