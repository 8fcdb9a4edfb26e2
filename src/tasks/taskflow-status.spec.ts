import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { enterStatus, type Stage, stages, statusOf, taskStatuses } from './task-stage.js';
import {
  enterTaskflowStatus,
  type StageAndBlock,
  taskflowStatuses,
  taskflowStatusOf,
  taskflowTransitions,
} from './taskflow-status.js';

/** Only work that has not ended and is not in review can be blocked. */
const blockable: readonly Stage[] = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY'];
const anyState: fc.Arbitrary<StageAndBlock> = fc.oneof(
  fc.record({ stage: fc.constantFrom(...stages), is_blocked: fc.constant(false) }),
  fc.record({ stage: fc.constantFrom(...blockable), is_blocked: fc.constant(true) }),
);

describe("a task in TaskFlow's words", () => {
  it('reads as its stage, and as blocked where it is', () => {
    const words = (is_blocked: boolean) => stages.map((stage) => taskflowStatusOf({ stage, is_blocked }));
    expect(words(false)).toEqual([
      'pending',
      'in_progress',
      'in_progress',
      'in_progress',
      'in_progress',
      'review',
      'completed',
      'cancelled',
    ]);
    expect(blockable.map((stage) => taskflowStatusOf({ stage, is_blocked: true }))).toEqual(Array(5).fill('blocked'));
  });

  it('enters every allowed status', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...blockable),
        fc.boolean(),
        fc.constantFrom(...taskflowStatuses),
        (stage, is_blocked, status) => {
          expect(taskflowStatusOf(enterTaskflowStatus({ stage, is_blocked }, status))).toBe(status);
        },
      ),
    );
  });

  it('loses nothing when it enters the status it has, in either vocabulary', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        expect(enterTaskflowStatus(state, taskflowStatusOf(state))).toEqual(state);
        expect(enterStatus(state.stage, statusOf(state.stage))).toBe(state.stage);
      }),
    );
  });

  it('loses nothing when it is blocked and unblocked', () => {
    fc.assert(
      fc.property(fc.constantFrom(...blockable), (stage) => {
        const state = { stage, is_blocked: false };
        expect(enterTaskflowStatus(enterTaskflowStatus(state, 'blocked'), taskflowStatusOf(state))).toEqual(state);
      }),
    );
  });

  it('is unblocked into work at the first stage where none had begun, and to pending at the start', () => {
    expect(enterTaskflowStatus({ stage: 'INIT', is_blocked: true }, 'in_progress')).toEqual({
      stage: 'GATHER',
      is_blocked: false,
    });
    expect(enterTaskflowStatus({ stage: 'PLAN', is_blocked: true }, 'pending')).toEqual({
      stage: 'INIT',
      is_blocked: false,
    });
  });

  it('enters a column of the board at its first stage from any other', () => {
    fc.assert(
      fc.property(fc.constantFrom(...stages), fc.constantFrom(...taskStatuses), (stage, status) => {
        const entered = enterStatus(stage, status);
        expect(statusOf(entered)).toBe(status);
        if (statusOf(stage) !== status)
          expect(entered).toBe(
            { todo: 'INIT', inprogress: 'GATHER', inreview: 'VERIFY', done: 'DONE', cancelled: 'CANCELLED' }[status],
          );
      }),
    );
  });

  it('never moves to itself, nor into or out of cancelled', () => {
    for (const status of taskflowStatuses) expect(taskflowTransitions[status]).not.toContain(status);
    expect([taskflowTransitions.cancelled, Object.values(taskflowTransitions).flat().includes('cancelled')]).toEqual([
      [],
      false,
    ]);
  });
});
