import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NOW } from '../platform/database/record-time.js';
import { changeOf, factsOf, type TaskPatch } from './task-change.js';
import type { Task } from './task.entity.js';
import { stages, statusOf } from './task-stage.js';
import { taskflowStatusOf } from './taskflow-status.js';

const [before, later] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-02T00:00:00Z')];
const worker = '0198c0de-0000-7000-8000-000000000009';

function task(fields: Partial<Task> = {}): Task {
  const row = {
    id: '0198c0de-0000-7000-8000-000000000003',
    number: '1',
    project_id: null,
    parent_task_id: null,
    title: 'Task',
    description: null,
    stage: 'INIT',
    is_blocked: false,
    assignee_worker_id: null,
    assignee_text: null,
    created_by_worker_id: null,
    priority: null,
    progress_percent: 0,
    tags: ['a'],
    due_date: before,
    started_at: null,
    completed_at: null,
    created_at: before,
    updated_at: before,
    deleted_at: null,
    ...fields,
  } as Omit<Task, 'status' | 'taskflow_status'>;
  return { ...row, status: statusOf(row.stage), taskflow_status: taskflowStatusOf(row) };
}

describe('the change of a task', () => {
  it('holds only the fields that differ', () => {
    const same: TaskPatch = {
      title: 'Task',
      description: null,
      stage: 'INIT',
      is_blocked: false,
      tags: ['a'],
      due_date: new Date(before),
      priority: undefined,
    };
    expect(changeOf(task(), same)).toEqual({});
    expect(changeOf(task(), { ...same, tags: ['a', 'b'], due_date: later })).toEqual({
      tags: ['a', 'b'],
      due_date: later,
    });
    expect(changeOf(task({ description: 'text' }), { description: null })).toEqual({ description: null });
  });

  it('sets started_at with the first work, once', () => {
    expect(changeOf(task(), { stage: 'PLAN' })).toEqual({ stage: 'PLAN', started_at: NOW });
    expect(changeOf(task({ started_at: before }), { stage: 'PLAN' })).toEqual({ stage: 'PLAN' });
    expect(changeOf(task(), { stage: 'VERIFY' })).toEqual({ stage: 'VERIFY' });
  });

  it('completes with time and progress, and takes the time back when it is reopened', () => {
    expect(changeOf(task({ stage: 'VERIFY', progress_percent: 40 }), { stage: 'DONE' })).toEqual({
      stage: 'DONE',
      completed_at: NOW,
      progress_percent: 100,
    });
    expect(
      changeOf(task({ stage: 'DONE', progress_percent: 100, completed_at: before, started_at: before }), {
        stage: 'GATHER',
      }),
    ).toEqual({ stage: 'GATHER', completed_at: null });
  });

  it('ends a block with every new stage, and keeps it with the same one', () => {
    const blocked = task({ stage: 'PLAN', is_blocked: true, started_at: before });
    expect(changeOf(blocked, { stage: 'APPLY' })).toEqual({ stage: 'APPLY', is_blocked: false });
    expect(changeOf(blocked, { stage: 'PLAN' })).toEqual({});
    expect(changeOf(blocked, { stage: 'PLAN', is_blocked: false })).toEqual({ is_blocked: false });
  });

  it('leaves nothing to change when it is made a second time', () => {
    const patches = fc
      .record(
        {
          title: fc.string(),
          description: fc.option(fc.string()),
          stage: fc.constantFrom(...stages),
          priority: fc.option(fc.string()),
          progress_percent: fc.integer({ min: 0, max: 99 }),
          tags: fc.array(fc.string()),
          due_date: fc.option(fc.date({ noInvalidDate: true })),
          assignee_text: fc.option(fc.string()),
        },
        { requiredKeys: [] },
      )
      .map(
        (patch): TaskPatch => (patch.stage === 'DONE' ? { ...patch, progress_percent: undefined } : patch) as TaskPatch,
      );
    fc.assert(
      fc.property(fc.constantFrom(...stages), patches, (stage, patch) => {
        const first = task({ stage });
        expect(changeOf({ ...first, ...changeOf(first, patch) }, patch)).toEqual({});
      }),
    );
  });
});

describe('the facts of a change', () => {
  const facts = (fields: Partial<Task>, patch: TaskPatch, note?: string) =>
    factsOf(task(fields), changeOf(task(fields), patch), note);

  it('are none where nothing changes', () => expect(facts({}, { title: 'Task' })).toEqual([]));

  it('are two for a claim: whose it is, then where it stands', () => {
    expect(facts({}, { stage: 'GATHER', is_blocked: false, assignee_worker_id: worker, assignee_text: null })).toEqual([
      { action: 'assigned', details: { before: null, after: worker } },
      {
        action: 'status_changed',
        details: {
          before: { status: 'todo', taskflow_status: 'pending', stage: 'INIT', is_blocked: false },
          after: { status: 'inprogress', taskflow_status: 'in_progress', stage: 'GATHER', is_blocked: false },
        },
      },
    ]);
  });

  it('are one for an assignee who changes from words to a worker', () => {
    expect(facts({ assignee_text: 'somebody' }, { assignee_worker_id: worker, assignee_text: null })).toEqual([
      { action: 'assigned', details: { before: 'somebody', after: worker } },
    ]);
  });

  it('are one for a completion, whose progress and time follow', () => {
    expect(facts({ stage: 'VERIFY' }, { stage: 'DONE' }).map(({ action }) => action)).toEqual(['status_changed']);
  });

  it('are one for progress, and a note alone is one, too', () => {
    expect(facts({ stage: 'PLAN' }, { progress_percent: 40 }, 'On it.')).toEqual([
      { action: 'progress_updated', details: { before: 0, after: 40, note: 'On it.' } },
    ]);
    expect(facts({ stage: 'PLAN' }, { progress_percent: 0 }, 'On it.')).toEqual([
      { action: 'progress_updated', details: { before: 0, after: 0, note: 'On it.' } },
    ]);
  });

  it('are one for all other fields together, each with before and after', () => {
    expect(facts({}, { title: 'New', priority: 'high', tags: [] })).toEqual([
      {
        action: 'updated',
        details: {
          title: { before: 'Task', after: 'New' },
          priority: { before: null, after: 'high' },
          tags: { before: ['a'], after: [] },
        },
      },
    ]);
  });
});
