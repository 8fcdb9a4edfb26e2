import { beforeEach, describe, expect, it } from '@jest/globals';
import { Board } from '../../support/board-fixture.js';
import { gate } from '../../support/board.js';
import { moveMain } from '../../support/delivery-ground.js';
import { eventually } from '../../support/eventually.js';
import type { GitRepository } from '../../support/git-repository.js';
import type { Json } from '../../support/mcp-client.js';

const DEMO = { executor: 'DEMO' };

describe('a conflict that nobody has met yet', () => {
  const board = Board.share();
  let project_id: string;
  let repository: GitRepository;
  beforeEach(async () => {
    ({ project_id, repository } = await board.project({ files: { 'notes.md': 'base\n' } }));
    repository.git('checkout', '--quiet', '-b', 'elsewhere');
  });

  const write = async (words: string, file = 'notes.md') =>
    (await board.endedAttempt(project_id, `write ${file} <<< ${words}`, DEMO)).attempt_id as string;
  /** On its card and by the tool, in this order: what changes by itself may differ between the two looks. */
  const shown = async (attempt_id: string) => {
    const { columns } = await board.rest.does('GET', `/api/projects/${project_id}/board`);
    const cards = (columns as Json[]).flatMap((column) => column.cards as Json[]);
    const card = cards.find(({ latest_attempt_id }) => latest_attempt_id === attempt_id)!;
    const { delivery_state } = await board.kanban.call('get_attempt_status', { attempt_id });
    return [card.delivery_state as string, delivery_state as string];
  };
  const known = async (attempt_id: string) => {
    const [card, status] = await shown(attempt_id);
    expect(card).toBe(status);
    return status;
  };
  const deliver = async (attempt_id: string, verb: string) =>
    board.rest.answers(200, 'POST', `/api/attempts/${attempt_id}/${verb}`, {});
  const becomes = (attempt_id: string, state: string) =>
    eventually(`${attempt_id} is ${state}`, async () => (await shown(attempt_id)).every((each) => each === state));

  it('is known at the end of the turn that made it, and gone after one that undid it', async () => {
    const task_id = await board.task(project_id, 'Notes');
    const { wait, open } = gate(board.server);
    const body = { ...DEMO, prompt: `write notes.md <<< ours\nrun bash -c '${wait}'` };
    const { attempt_id } = await board.rest.answers(201, 'POST', `/api/tasks/${task_id}/attempts`, body);
    await eventually('its first change', async () => {
      const { isError } = await board.kanban.sdk.callTool({ name: 'get_attempt_changes', arguments: { attempt_id } });
      return isError !== true;
    });
    moveMain(repository, { 'notes.md': 'theirs\n' });
    open();
    await board.untilEnded(attempt_id as string);
    expect(await known(attempt_id as string)).toBe('conflicted');
    const { latest_session_id: session_id } = await board.kanban.call('get_attempt_status', { attempt_id });
    await board.kanban.call('follow_up', { session_id, action: 'send', prompt: 'write notes.md <<< base' });
    await board.untilEnded(attempt_id as string);
    expect(await known(attempt_id as string)).toBe('ready');
  });

  it('is known of the work beside a merge, and gone once that is undone', async () => {
    const [first, second, other] = [await write('one'), await write('two'), await write('three', 'other.md')];
    expect(await Promise.all([first, second, other].map(known))).toEqual(['ready', 'ready', 'ready']);
    await deliver(first, 'merge');
    await becomes(second, 'conflicted');
    expect(await known(other)).toBe('ready');
    await deliver(first, 'merge/undo');
    await becomes(second, 'ready');
    expect(await known(first)).toBe('ready');
  });

  it('is known once somebody looks or a merge has met it, as long as it is there, and the board is told', async () => {
    const attempt_id = await write('ours');
    const { next_after: after } = await board.rest.does('GET', `/api/events?project_id=${project_id}`);
    moveMain(repository, { 'notes.md': 'theirs\n' });
    const look = async () => (await board.rest.does('GET', `/api/attempts/${attempt_id}/delivery`)).state as string;
    expect([await look(), await look(), await known(attempt_id)]).toEqual(['conflicted', 'conflicted', 'conflicted']);
    repository.git('update-ref', 'refs/heads/main', 'main~1');
    expect([await look(), await known(attempt_id)]).toEqual(['ready', 'ready']);
    const { events } = await board.rest.does('GET', `/api/events?project_id=${project_id}&after=${after}`);
    expect((events as Json[]).map(({ type, data }) => [type, (data as Json).delivery_state])).toEqual([
      ['taskyard.attempt.delivery_changed', 'conflicted'],
      ['taskyard.attempt.delivery_changed', 'ready'],
    ]);
    moveMain(repository, { 'notes.md': 'theirs\n' }); // a merge that meets it tells it, too
    await board.rest.refuses('merge_conflict', 'POST', `/api/attempts/${attempt_id}/merge`, {});
    expect(await known(attempt_id)).toBe('conflicted');
    repository.git('update-ref', 'refs/heads/main', 'main~1');
    expect([await look(), await known(attempt_id)]).toEqual(['ready', 'ready']);
  });
});
