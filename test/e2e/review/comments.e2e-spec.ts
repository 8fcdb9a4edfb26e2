import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board, nowhere } from '../../support/board-fixture.js';
import { passKeptDay } from '../../support/deleted-tasks.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'last\n' };
const WORK = 'write a.txt <<< zero\\none\\ntwo\\nthree';
const board = Board.use();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project({ files: FILES }));
});

/** An ended attempt whose work is a line before the others. */
const given = async (in_project = project_id): Promise<{ attempt_id: string; task_id: string; at: string }> => {
  const { attempt_id, task_id } = await board.endedAttempt(in_project, WORK, { executor: 'DEMO' });
  const id = attempt_id as string;
  return { attempt_id: id, task_id: task_id as string, at: `/api/attempts/${id}/comments` };
};
const onTwo = { path: 'web/a.txt', side: 'new', line: 3, text: 'Why two?' };
const listed = async (at: string, rest = board.rest) => (await rest.does('GET', at)).comments as Json[];
const work = async (attempt_id: string, prompt: string): Promise<void> => {
  await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt });
  await board.untilEnded(attempt_id);
};

describe('comments on the changes of an attempt', () => {
  it('are kept with the lines they were made on, on either side, in the order they were written', async () => {
    const { at, attempt_id } = await given();
    const first = await board.rest.answers(201, 'POST', at, onTwo);
    expect(first).toMatchObject({
      ...{ ...onTwo, attempt_id, end_line: 3, lines: 'two', author: '@owner', is_own: true },
      ...{ state: 'open', outdated: false, sent_at: null },
    });
    const old = { path: 'web/./a.txt', side: 'old', line: 1, end_line: 2, text: 'These were better.' };
    await board.rest.answers(201, 'POST', at, old);
    expect(await listed(at)).toMatchObject([
      { comment_id: first.comment_id },
      { path: 'web/a.txt', side: 'old', line: 1, end_line: 2, lines: 'one\ntwo', outdated: false },
    ]);
    const page = await board.rest.does('GET', `${at}?limit=1`);
    expect(page).toMatchObject({ count: 1, has_more: true });
    const rest = await board.rest.does('GET', `${at}?limit=1&cursor=${page.next_cursor}`);
    expect(rest).toMatchObject({ count: 1, has_more: false, comments: [{ text: 'These were better.' }] });
  });

  it('are refused on lines that are not there, beyond their limits, and twice under one key', async () => {
    const { at } = await given();
    const wrong: [string, object][] = [
      ['file_not_found', { path: 'web/none.txt' }],
      ['file_not_found', { path: '../web/a.txt' }],
      ['invalid_argument', { line: 5 }],
      ['invalid_argument', { line: 3, end_line: 2 }],
      ['invalid_argument', { line: 0 }],
      ['invalid_argument', { side: 'both' }],
      ['invalid_argument', { text: ' ' }],
      ['invalid_argument', { text: 'x'.repeat(10_001) }],
    ];
    for (const [code, part] of wrong) await board.rest.refuses(code, 'POST', at, { ...onTwo, ...part });
    expect(await listed(at)).toEqual([]);
    const keyed = { ...onTwo, request_id: `comment-${at}` };
    const made = await board.rest.answers(201, 'POST', at, keyed);
    expect(await board.rest.answers(201, 'POST', at, keyed)).toEqual({ ...made, replayed: true });
    await board.rest.refuses('idempotency_conflict', 'POST', at, { ...keyed, text: 'Other' });
    expect(await listed(at)).toHaveLength(1);
    await board.server.query(
      `INSERT INTO review_comments (
         id, attempt_id, project_id, author, author_id, stored_by, path, side, line, end_line, lines, text
       )
       SELECT gen_random_uuid(), attempt_id, project_id, author, author_id, stored_by, path, side, line, end_line,
         lines, text
       FROM review_comments, generate_series(1, 499)
       WHERE id = $1`,
      [made.comment_id],
    );
    await board.rest.refuses('too_many_comments', 'POST', at, onTwo);
  });

  it('move with their lines, and are outdated once those have changed', async () => {
    const { at, attempt_id } = await given();
    await board.rest.does('POST', at, onTwo);
    await board.rest.does('POST', at, { ...onTwo, side: 'old', line: 2 });
    await work(attempt_id, 'write a.txt <<< more\\nzero\\none\\ntwo\\nthree');
    expect(await listed(at)).toMatchObject([
      { line: 4, end_line: 4, outdated: false, lines: 'two' },
      { line: 2, end_line: 2, outdated: false },
    ]);
    await work(attempt_id, 'write a.txt <<< one\\nTWO');
    expect(await listed(at)).toMatchObject([
      { line: 3, end_line: 3, outdated: true, lines: 'two', text: 'Why two?' },
      { line: 2, outdated: false },
    ]);
  });

  it('stay with what was delivered', async () => {
    const { project_id: other, repository } = await board.project({ files: FILES });
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
    const { at, attempt_id } = await given(other);
    await board.rest.does('POST', at, onTwo);
    await board.kanban.call('merge_attempt', { attempt_id, strategy: 'squash' });
    expect(await board.kanban.call('get_attempt_changes', { attempt_id })).toMatchObject({ of: 'delivered' });
    expect(await listed(at)).toMatchObject([{ line: 3, outdated: false }]);
    await board.rest.answers(201, 'POST', at, { ...onTwo, line: 1, text: 'Late' });
  });

  it('are edited by their author alone, and deleted by a maintainer, too', async () => {
    const { project_id: project } = await board.project({ files: FILES });
    const roles = { boss: 'owner', ann: 'member', ben: 'member', vic: 'viewer' } as const;
    for (const [name, role] of Object.entries(roles)) {
      await board.worker(`@${name}`, 'human', name);
      await board.member(project, `@${name}`, role);
    }
    const { at } = await given(project);
    const { comment_id } = await board.as('ann').answers(201, 'POST', at, onTwo);
    const one = `${at}/${comment_id}`;
    for (const name of ['ben', 'vic'])
      expect(await listed(at, board.as(name))).toMatchObject([{ author: '@ann', is_own: false }]);
    await board.as('vic').refuses('insufficient_scope', 'POST', at, onTwo);
    await board.as('ben').refuses('forbidden', 'PATCH', one, { text: 'Mine' });
    await board.as('ben').refuses('forbidden', 'DELETE', one);
    expect(await board.as('ann').does('PATCH', one, { text: 'Why, two?' })).toMatchObject({ text: 'Why, two?' });
    expect(await board.as('boss').does('DELETE', one)).toEqual({ deleted_comment_id: comment_id });
    await board.as('ann').refuses('comment_not_found', 'DELETE', one);
    await board.as('stranger').refuses('not_a_member', 'GET', at);
    await board.as('stranger').refuses('not_a_member', 'POST', at, onTwo);
  });

  it('belong to one attempt: another one does not have them', async () => {
    const [here, there] = [await given(), await given()];
    const { comment_id } = await board.rest.does('POST', here.at, onTwo);
    for (const id of [comment_id, nowhere])
      await board.rest.refuses('comment_not_found', 'PATCH', `${there.at}/${id}`, { text: 'x' });
    await board.rest.refuses('comment_not_found', 'DELETE', `${there.at}/${comment_id}`);
    const followUp = { attempt_id: there.attempt_id, action: 'send', comment_ids: [comment_id] };
    expect((await board.kanban.refused('follow_up', followUp)).code).toBe('comment_not_found');
  });

  it('are written down, told, counted as stored bytes, and gone with their task after its day', async () => {
    const { at, attempt_id, task_id } = await given();
    const bytes = async () =>
      Number((await board.server.query<{ n: string }>('SELECT stored_bytes_of($1, NULL) AS n', [project_id]))[0]!.n);
    const [before, { next_after }] = [
      await bytes(),
      await board.rest.does('GET', `/api/events?project_id=${project_id}&limit=500`),
    ];
    const { comment_id } = await board.rest.does('POST', at, onTwo);
    expect((await bytes()) - before).toBe(1024 + 'web/a.txt'.length + 'two'.length + 'Why two?'.length);
    await board.rest.does('PATCH', `${at}/${comment_id}`, { text: 'Why?' });
    expect((await bytes()) - before).toBe(1024 + 'web/a.txt'.length + 'two'.length + 'Why?'.length);
    await board.rest.does('DELETE', `${at}/${comment_id}`);
    expect(await bytes()).toBe(before);
    const actions = (await board.audit(task_id)).map(({ action }) => action);
    expect(actions.slice(-3)).toEqual(['comment_added', 'comment_edited', 'comment_deleted']);
    const { events } = await board.rest.does('GET', `/api/events?project_id=${project_id}&after=${next_after}`);
    expect((events as Json[]).filter(({ type }) => type === 'taskyard.attempt.commented')).toMatchObject(
      ['added', 'edited', 'deleted'].map((action) => ({
        subject: attempt_id,
        data: { attempt_id, task_id, action, comment_ids: [comment_id] },
      })),
    );
    await board.rest.does('POST', at, onTwo);
    await board.rest.does('DELETE', `/api/tasks/${task_id}`);
    await board.rest.refuses('attempt_not_found', 'GET', at);
    await passKeptDay(board.server.database);
    const left = () => board.server.query('SELECT 1 FROM review_comments WHERE attempt_id = $1', [attempt_id]);
    await eventually('the comments to go', async () => ((await left()).length === 0 ? true : undefined));
  });
});
