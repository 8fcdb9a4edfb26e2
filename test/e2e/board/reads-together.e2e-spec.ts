import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AttemptsRepository } from '../../../src/attempts/attempts.repository.js';
import { localOwner, type Principal } from '../../../src/platform/access/principal.js';
import { Database } from '../../../src/platform/database/database.js';
import { TasksRepository } from '../../../src/tasks/tasks.repository.js';
import { givenEndedAttempt, givenProject } from '../../support/board.js';
import { InProcessBoard } from '../../support/in-process-server.js';
import type { Json } from '../../support/mcp-client.js';
import { fetchAsOwner } from '../../support/local-tokens.js';

const board = InProcessBoard.use();
let database: Database;
let tasks: TasksRepository;
let project_id: string;
let ids: string[];
beforeAll(async () => {
  [database, tasks] = [board.server.app.get(Database), board.server.app.get(TasksRepository)];
  ({ project_id } = await givenProject(board.server));
  ids = await Promise.all(Array.from({ length: 20 }, () => board.task(project_id)));
});
afterEach(() => void jest.restoreAllMocks());

const idsOf = async (principal: Principal, wanted: string[]): Promise<string[]> =>
  (await Promise.all(wanted.map((id) => tasks.getWithAttempts(principal, id)))).map(({ id }) => id);
const spied = () => jest.spyOn(database, 'queryPrepared');

describe('reads of single rows that come at once', () => {
  it('share one statement, and each gets what it asked for, asked twice too', async () => {
    const statements = spied();
    expect(await idsOf(localOwner, [...ids, ids[3]!, ids[7]!])).toEqual([...ids, ids[3], ids[7]]);
    expect(statements).toHaveBeenCalledTimes(1);
  });

  it('share one statement for every hundred', async () => {
    const statements = spied();
    const many = Array.from({ length: 250 }, (_, index) => ids[index % ids.length]!);
    expect(await idsOf(localOwner, many)).toEqual(many);
    expect(statements).toHaveBeenCalledTimes(3);
  });

  it('share them over HTTP as well, where a wrong id is refused for itself', async () => {
    const statements = spied();
    const wanted = [...ids, ...ids, '00000000-0000-7000-8000-000000000000', 'nonsense'];
    // fetch, because supertest takes too long between two requests for them to arrive together
    const answers = await Promise.all(
      wanted.map(async (id) => (await (await fetchAsOwner(`${board.server.url}/api/tasks/${id}`)).json()) as Json),
    );
    expect(answers.map(({ task_id, code }) => (task_id ?? code) as string)).toEqual([
      ...ids,
      ...ids,
      'task_not_found',
      'invalid_argument',
    ]);
    expect(statements.mock.calls.length).toBeLessThan(2 * ids.length);
  });

  it('see what was committed before they came', async () => {
    for (const title of ['One', 'Two', 'Three']) {
      await board.kanban.call('update_task', { task_id: ids[0], title });
      const answers = await Promise.all(ids.map((task_id) => board.kanban.call('get_task', { task_id })));
      expect(answers[0]).toMatchObject({ task: { title } });
    }
  });

  it('keep apart who may see what', async () => {
    const owned = await board.bareProject('@owner-of-it');
    const secret = await board.task(owned);
    const outsider: Principal = { ...localOwner, worker: await board.worker('@stranger') };
    const elsewhere: Principal = { ...localOwner, projects: [owned] };
    const outcomes = await Promise.allSettled(
      [
        [localOwner, secret],
        [outsider, secret],
        [outsider, ids[0]],
        [elsewhere, secret],
        [elsewhere, ids[0]],
      ].map(([principal, id]) => tasks.getWithAttempts(principal as Principal, id as string)),
    );
    expect(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.id : outcome.reason.code)),
    ).toEqual([secret, 'not_a_member', ids[0], secret, 'task_not_found']);
  });

  it('see inside a transaction what it has written, and nothing of it from outside', async () => {
    const read = async () => (await tasks.getWithAttempts(localOwner, ids[1]!)).title;
    const before = await read();
    const [inside, outside] = await database.transaction(async (tx) => {
      await tasks.update(tx, ids[1]!, { title: 'Not yet' });
      return Promise.all([read(), board.kanban.call('get_task', { task_id: ids[1] })]);
    });
    expect([inside, outside.task.title, await read()]).toEqual(['Not yet', before, 'Not yet']);
  });

  it('are all told when their statement fails, and the next one is asked again', async () => {
    spied().mockRejectedValueOnce(new builtGlobals.Error('the statement failed'));
    const outcomes = await Promise.allSettled(ids.map((id) => tasks.getWithAttempts(localOwner, id)));
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message)).toEqual(
      ids.map(() => 'the statement failed'),
    );
    expect(await idsOf(localOwner, ids)).toEqual(ids);
  });

  it('fail for those alone who share the statement that failed', async () => {
    const elsewhere: Principal = { ...localOwner, projects: [project_id] };
    spied().mockRejectedValueOnce(new builtGlobals.Error('the statement failed'));
    const outcomes = await Promise.allSettled(
      [localOwner, elsewhere, localOwner].map((principal) => tasks.getWithAttempts(principal, ids[0]!)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected']);
  });

  it('are shared by those who ask for the status of an attempt', async () => {
    const attempts = await Promise.all(
      [1, 2].map(
        async (exit) => (await givenEndedAttempt(board.kanban, project_id, `exit ${exit - 1}`)).attempt_id as string,
      ),
    );
    const statements = spied();
    const rows = await Promise.all(
      [...attempts, ...attempts].map((id) => board.server.app.get(AttemptsRepository).getStatus(localOwner, id)),
    );
    expect(rows.map(({ attempt_id, state }) => [attempt_id, state])).toEqual([
      [attempts[0], 'completed'],
      [attempts[1], 'failed'],
      [attempts[0], 'completed'],
      [attempts[1], 'failed'],
    ]);
    expect(statements).toHaveBeenCalledTimes(1);
  });
});
