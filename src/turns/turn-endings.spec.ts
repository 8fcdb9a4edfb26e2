import { describe, expect, it } from '@jest/globals';
import type { ExecutionStatus } from '../executions/execution.entity.js';
import { type Ending, type EndingRule, endings } from './turn-endings.js';

const states: ExecutionStatus[] = ['queued', 'running', 'completed', 'failed', 'killed'];

/** From each state, in the order above, what the ending leads to; `-` where it does not apply. */
const table: Record<Ending, string[]> = {
  completed: ['-', 'completed', '-', '-', '-'],
  failed: ['-', 'failed', '-', '-', '-'],
  killed: ['-', 'killed', '-', '-', '-'],
  interrupted: ['-', 'failed', '-', '-', '-'],
  withdrawn: ['killed', '-', '-', '-', '-'],
  refused: ['failed', '-', '-', '-', '-'],
  lost: ['failed', 'failed', '-', '-', '-'],
};

describe('the endings of an execution', () => {
  it.each(Object.entries(table))('%s applies from its own states alone', (ending, expected) => {
    const { from, to }: { from: readonly ExecutionStatus[]; to: ExecutionStatus } = endings[ending as Ending];
    expect(states.map((state) => (from.includes(state) ? to : '-'))).toEqual(expected);
  });

  it('are all in the table above', () => {
    expect(Object.keys(endings)).toEqual(Object.keys(table));
  });

  it('go on with the turn only after an execution that went well', () => {
    expect(Object.entries(endings).flatMap(([name, { advances }]) => (advances ? [name] : []))).toEqual(['completed']);
  });

  it('are written to the log only where no process says it', () => {
    expect(Object.entries(endings).flatMap(([name, { isLogged }]) => (isLogged ? [name] : []))).toEqual(['lost']);
  });

  it.each<[Ending, string]>([
    ['completed', 'run'],
    ['failed', 'drop: the run failed'],
    ['killed', 'drop: the run was stopped'],
    ['interrupted', 'run'],
    ['withdrawn', 'drop: the attempt was stopped'],
    ['refused', 'keep'],
    ['lost', 'run'],
  ])('%s: the messages that wait, %s', (ending, expected) => {
    const after: EndingRule['messages'] = endings[ending].messages;
    expect(after.action === 'drop' ? `drop: ${after.reason}` : after.action).toBe(expected);
  });
});
