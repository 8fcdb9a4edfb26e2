import { beforeAll, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { moveMain } from '../../support/delivery-ground.js';

describe('what an attempt has delivered', () => {
  const board = Board.share();
  let project_id: string;
  let repository: Awaited<ReturnType<typeof board.project>>['repository'];
  beforeAll(async () => {
    ({ project_id, repository } = await board.project());
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
  });

  const changes = (attempt_id: string) => board.kanban.call('get_attempt_changes', { attempt_id });
  const patch = (attempt_id: string) => board.kanban.call('get_attempt_patch', { attempt_id, paths: ['web'] });
  const sendAndWait = async (attempt_id: string, prompt: string): Promise<void> => {
    await board.kanban.call('follow_up', { attempt_id, action: 'send', prompt });
    await board.untilEnded(attempt_id);
  };

  it.each(['squash', 'merge', 'ff', 'rebase'])('is seen after a %s, until there is new work', async (strategy) => {
    const { attempt_id } = await board.endedAttempt(project_id, `echo one > ${strategy}.txt`);
    const before = { changes: await changes(attempt_id as string), patch: await patch(attempt_id as string) };
    expect([before.changes.of, before.patch.of]).toEqual(['work', 'work']);
    await board.kanban.call('merge_attempt', { attempt_id, strategy });
    const file = `web/${strategy}.txt`;
    expect(await changes(attempt_id as string)).toMatchObject({
      of: 'delivered',
      files: [file],
      summary: { file_count: 1, added: 1, deleted: 0, total_bytes: 4 },
    });
    expect(await patch(attempt_id as string)).toMatchObject({
      of: 'delivered',
      patch: expect.stringMatching(new RegExp(`\\+\\+\\+ b/${file}[^]*\\+one`)),
    });
    await sendAndWait(attempt_id as string, 'echo two > again.txt; rm -f untouched');
    expect(await changes(attempt_id as string)).toMatchObject({ of: 'work', files: ['web/again.txt'] });
    await board.kanban.call('merge_attempt', { attempt_id, strategy });
    expect(await changes(attempt_id as string)).toMatchObject({ of: 'delivered', files: ['web/again.txt', file] });
    await sendAndWait(attempt_id as string, 'git rm -q again.txt');
    await board.kanban.call('merge_attempt', { attempt_id, strategy });
  });

  it('leaves out what others landed meanwhile', async () => {
    const { attempt_id } = await board.endedAttempt(project_id, 'echo mine > mine.txt');
    moveMain(repository, { 'theirs.txt': 'theirs\n' });
    await board.kanban.call('merge_attempt', { attempt_id, strategy: 'squash' });
    expect(await changes(attempt_id as string)).toMatchObject({ of: 'delivered', files: ['web/mine.txt'] });
    expect((await patch(attempt_id as string)).patch).not.toContain('theirs');
  });

  it('is work again once the merge is undone', async () => {
    const { attempt_id } = await board.endedAttempt(project_id, 'echo back > back.txt');
    await board.kanban.call('merge_attempt', { attempt_id });
    expect((await changes(attempt_id as string)).of).toBe('delivered');
    await board.kanban.call('merge_attempt', { attempt_id, action: 'undo' });
    expect(await changes(attempt_id as string)).toMatchObject({ of: 'work', files: ['web/back.txt'] });
  });
});
