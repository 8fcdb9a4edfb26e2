import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { gate } from '../../support/board.js';
import { Board, nowhere } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';
import type { RestClient } from '../../support/rest-client.js';

const board = Board.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project());
  await board.worker('@ada', 'human', 'ada');
  await board.worker('@bob', 'human', 'bob');
});

const notices = (rest: RestClient): Promise<Json> => rest.does('GET', '/api/inbox/notices');
const watch = (rest: RestClient, task_id: unknown, body: object = {}) =>
  rest.answers(200, 'POST', `/api/tasks/${String(task_id)}/watch`, body);

describe('the notices of a person', () => {
  it('tell whoever watches how a run ended, until they have read it', async () => {
    const [ada, bob] = [board.as('ada'), board.as('bob')];
    const { wait, open } = gate(board.server);
    const { task_id, attempt_id } = await board.attempt(project_id, `${wait}; exit 3`);
    expect(await ada.does('GET', `/api/tasks/${task_id}/watch`)).toEqual({ task_id, is_watching: false });
    expect(await watch(ada, task_id)).toEqual({ task_id, is_watching: true });
    await watch(ada, task_id);
    expect(await notices(ada)).toEqual({ questions: [], ended: [], unread: 0 });
    open();
    await board.untilEnded(attempt_id as string);
    expect(await notices(ada)).toEqual({
      questions: [],
      ended: [
        {
          ...{ task_id, attempt_id, project_id, project_name: 'Web shop', title: 'Say hello', executor: 'SHELL' },
          ...{ outcome: 'failed', failure_summary: expect.stringContaining('3'), delivery_state: 'failed' },
          ...{ at: expect.any(String), is_unread: true },
        },
      ],
      unread: 1,
    });
    expect(await notices(bob)).toMatchObject({ ended: [], unread: 0 });
    expect(await ada.answers(200, 'POST', '/api/inbox/read')).toEqual({ read_at: expect.any(String) });
    expect(await notices(ada)).toMatchObject({ ended: [{ task_id, is_unread: false }], unread: 0 });
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'echo better' });
    await board.untilEnded(attempt_id as string);
    expect(await notices(ada)).toMatchObject({ ended: [{ outcome: 'completed', is_unread: true }], unread: 1 });
    expect(await watch(ada, task_id, { watching: false })).toEqual({ task_id, is_watching: false });
    expect(await notices(ada)).toMatchObject({ ended: [], unread: 0 });
  });

  it('are no news of what had ended before, and say stopped of what was stopped', async () => {
    const ada = board.as('ada');
    const before = await board.endedAttempt(project_id, 'echo before');
    await watch(ada, before.task_id);
    const { wait } = gate(board.server);
    const { task_id, attempt_id } = await board.attempt(project_id, wait);
    await watch(ada, task_id);
    await board.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/stop`, {});
    await board.untilEnded(attempt_id as string);
    expect((await notices(ada)).ended).toMatchObject([{ task_id, outcome: 'stopped' }]);
    const { columns } = await board.rest.does('GET', `/api/projects/${project_id}/board`);
    const cards = (columns as Json[]).flatMap((column) => column.cards as Json[]);
    const endings = (id: unknown) => cards.find((card) => card.task_id === id)?.ended_by as unknown;
    expect([endings(task_id), endings(before.task_id)]).toEqual(['stop', null]);
  });

  it('have the questions of all projects that one sees, with whose they are, until they are answered', async () => {
    const [ada, bob] = [board.as('ada'), board.as('bob')];
    await ada.answers(200, 'POST', '/api/inbox/read'); // what she was told before
    const hers = (await ada.does('POST', '/api/projects', { name: 'Of Ada', repos: [] })).project_id as string;
    const { path } = (await board.rest.does('GET', `/api/projects/${project_id}/repos`)).repos[0] as Json;
    await ada.does('POST', `/api/projects/${hers}/repos`, { path, name: 'web' });
    const { task_id } = await ada.does('POST', `/api/projects/${hers}/tasks`, { title: 'Asks first' });
    const start = { executor: 'DEMO', variant: 'APPROVALS', prompt: 'ask echo may I' };
    await ada.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, start);
    await eventually('the question', async () => (await notices(ada)).questions.length === 1);
    const { questions, unread } = await notices(ada);
    expect({ questions, unread }).toMatchObject({
      questions: [
        { task_id, title: 'Asks first', project_name: 'Of Ada', executor: 'DEMO', is_unread: true, is_watching: false },
      ],
      unread: 1,
    });
    expect(await notices(bob)).toMatchObject({ questions: [], unread: 0 });
    await ada.answers(200, 'POST', '/api/inbox/read');
    expect(await notices(ada)).toMatchObject({ questions: [{ is_unread: false }], unread: 0 });
    await ada.answers(200, 'POST', `/api/approvals/${questions[0].approval_id}/answer`, { decision: 'deny' });
    expect(await notices(ada)).toMatchObject({ questions: [] });
  });

  it('are nobody’s who may not see the task', async () => {
    const hers = await board.bareProject('ada');
    const { task_id } = await board.as('ada').does('POST', `/api/projects/${hers}/tasks`, { title: 'Hidden' });
    for (const path of [`/api/tasks/${task_id}/watch`, `/api/tasks/${nowhere}/watch`]) {
      expect((await board.as('bob').send('POST', path)).status).toBeGreaterThan(400);
      expect((await board.as('bob').send('GET', path)).status).toBeGreaterThan(400);
    }
    await board.as('ada').does('POST', `/api/projects/${hers}/members`, { handle: '@bob', role: 'viewer' });
    expect(await watch(board.as('bob'), task_id)).toEqual({ task_id, is_watching: true });
  });
});
