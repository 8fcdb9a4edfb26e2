import { beforeAll, describe, expect, it } from '@jest/globals';
import { gate } from '../../support/board.js';
import { Board } from '../../support/board-fixture.js';
import { eventually } from '../../support/eventually.js';
import type { Json } from '../../support/mcp-client.js';

const board = Board.share();
let project_id: string;
beforeAll(async () => {
  ({ project_id } = await board.project({ files: { 'a.txt': 'one\ntwo\n' } }));
});

const SUGGESTION = 'Say it so:\n```suggestion\n\tTwo  \u2028parts\n> and a quote\n```';
const call = (tool: string, args: object) => board.kanban.call(tool, args);

interface Ground {
  attempt_id: string;
  at: string;
  comment: (part?: object) => Promise<string>;
  states: () => Promise<unknown[]>;
  prompts: () => Promise<string[]>;
}
function groundOf(attempt_id: string): Ground {
  const at = `/api/attempts/${attempt_id}/comments`;
  return {
    ...{ attempt_id, at },
    comment: async (part = {}) => {
      const body = { path: 'web/a.txt', side: 'new', line: 2, text: 'Why two?', ...part };
      return (await board.rest.does('POST', at, body)).comment_id as string;
    },
    states: async () => ((await board.rest.does('GET', at)).comments as Json[]).map(({ state }) => state),
    prompts: async () => {
      const { page } = await call('tail_session_messages', { attempt_id });
      return (page.entries as Json[]).map(({ prompt }) => prompt as string);
    },
  };
}
const given = async (): Promise<Ground> => {
  const { attempt_id } = await board.endedAttempt(project_id, 'write b.txt <<< b', { executor: 'DEMO' });
  return groundOf(attempt_id as string);
};
/** Its first turn waits until the gate is opened. */
const givenRunning = async (): Promise<Ground & { go: () => void }> => {
  const held = gate(board.server);
  const task_id = await board.task(project_id, 'Wait', `run bash -c '${held.wait}'`);
  const { attempt_id } = await call('start_task_attempt', { task_id, executor: 'DEMO' });
  const changes = `/api/attempts/${attempt_id}/changes`;
  await eventually('the worktree', async () => (await board.rest.get(changes)).status === 200);
  return { ...groundOf(attempt_id as string), go: held.open };
};

describe('comments for the agent', () => {
  it('go as one message of quotes with their places, suggestions word for word', async () => {
    const { attempt_id, comment, prompts, states } = await given();
    const second = await comment({ text: SUGGESTION, line: 1, end_line: 2 });
    const first = await comment({ path: 'web/b.txt', line: 1, text: 'Say C' });
    const before = await comment({ side: 'old', line: 1, text: 'say executed' });
    const ids = [second, first, before];
    await call('follow_up', { attempt_id, action: 'send', comment_ids: ids, prompt: 'say hi' });
    const { final_message } = await board.untilEnded(attempt_id);
    expect(final_message).toContain('hi');
    expect(final_message).not.toContain('executed');
    const prompt = (await prompts()).at(-1)!;
    expect(prompt).toContain('Comment 1 by "@owner" on "web/a.txt", lines 1 to 2:\n> one\n> two\n>\n> Say it so:\n');
    expect(prompt.replaceAll('\u2028> ', '\u2028').replaceAll('\n> ', '\n')).toContain(`\n${SUGGESTION}\n`);
    expect(prompt).toContain('on "web/a.txt", line 1 as they were before the changes:\n> one\n>\n> say executed');
    expect(prompt).toContain('on "web/b.txt", line 1:\n> b\n>\n> Say C');
    expect(prompt).toMatch(/fenced as suggestion[^]*Address each comment[^]*say hi$/);
    expect(await states()).toEqual(['answered', 'answered', 'answered']);
  });

  it('are sent once: not again by a retry, nor while they wait or run', async () => {
    const ground = await givenRunning();
    const { attempt_id, comment, states, at } = ground;
    const id = await comment();
    const message = { attempt_id, action: 'queue', comment_ids: [id], request_id: `send-${id}` };
    const sent = await call('follow_up', message);
    expect(sent.queue_length).toBe(1);
    expect(await call('follow_up', message)).toEqual({ ...sent, replayed: true });
    expect(await states()).toEqual(['sent']);
    expect((await board.kanban.refused('follow_up', { ...message, request_id: 'another' })).code).toBe('comment_sent');
    await board.rest.refuses('comment_sent', 'PATCH', `${at}/${id}`, { text: 'Other' });
    ground.go();
    await board.untilEnded(attempt_id);
    expect(await states()).toEqual(['answered']);
    expect((await ground.prompts()).filter((prompt) => prompt.includes('Why two?'))).toHaveLength(1);
    await call('follow_up', { attempt_id, action: 'send', comment_ids: [id] });
    await board.untilEnded(attempt_id);
    expect((await ground.prompts()).filter((prompt) => prompt.includes('Why two?'))).toHaveLength(2);
  });

  it('are open again when their message is dropped', async () => {
    const { attempt_id, comment, states, go, at } = await givenRunning();
    const id = await comment();
    const queue = () => call('follow_up', { attempt_id, action: 'queue', comment_ids: [id] });
    expect(await queue()).toMatchObject({ queue_length: 1 });
    await call('follow_up', { attempt_id, action: 'cancel' });
    expect(await states()).toEqual(['open']);
    expect((await board.rest.does('GET', at)).comments).toMatchObject([{ sent_at: null }]);
    expect(await queue()).toMatchObject({ queue_length: 1 });
    await call('stop_attempt', { attempt_id, force: true });
    go();
    await board.untilEnded(attempt_id);
    expect(await states()).toEqual(['open']);
  });

  it('are where the changes since the last review of a person begin', async () => {
    const { attempt_id, comment, at } = await given();
    const changes = `/api/attempts/${attempt_id}/changes`;
    const files = async (query: string, rest = board.rest) => (await rest.does('GET', `${changes}${query}`)).files;
    expect((await board.rest.does('GET', at)).reviewed_at).toBeNull();
    expect(await files('?since_review=true')).toEqual(['web/b.txt']);
    await call('follow_up', {
      attempt_id,
      action: 'send',
      comment_ids: [await comment()],
      prompt: 'write c.txt <<< c',
    });
    await board.untilEnded(attempt_id);
    expect((await board.rest.does('GET', at)).reviewed_at).not.toBeNull();
    expect(await files('')).toEqual(['web/b.txt', 'web/c.txt']);
    expect(await files('?since_review=true')).toEqual(['web/c.txt']);
    expect(await files('?since_review=true', board.as('ada'))).toEqual(['web/b.txt', 'web/c.txt']);
    const body = { paths: ['web'], since_review: true };
    const { patch } = await board.rest.does('POST', `/api/attempts/${attempt_id}/patch`, body);
    expect([patch.includes('b/web/c.txt'), patch.includes('b/web/b.txt')]).toEqual([true, false]);
  });

  it('are sent where their lines are now, and marked if those have changed', async () => {
    const { attempt_id, comment, prompts } = await given();
    const [moved, changed] = [await comment(), await comment({ line: 1, text: 'Why one?' })];
    await call('follow_up', { attempt_id, action: 'send', prompt: 'write a.txt <<< zero\\nOne\\n\\ntwo' });
    await board.untilEnded(attempt_id);
    await call('follow_up', { attempt_id, action: 'send', comment_ids: [moved, changed] });
    await board.untilEnded(attempt_id);
    const prompt = (await prompts()).at(-1)!;
    expect(prompt).toContain('on "web/a.txt", line 4:\n> two\n');
    expect(prompt).toContain('on "web/a.txt", line 1 (its lines have changed since):\n> one\n');
  });
});
