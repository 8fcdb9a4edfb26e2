import { expect, it } from '@jest/globals';
import { onlyWith } from '../../support/machine.js';
import { finding, SecondReviewGround, submit } from '../../support/second-review-ground.js';

onlyWith('bubblewrap').describe('a second agent that reviews', () => {
  const ground = SecondReviewGround.use({ ISOLATION: 'bubblewrap', RUN_NETWORK: 'host' });

  it('reads task and diff, not what the author said, and cannot write; its approval ends it', async () => {
    ground.willCall([submit('approve')]);
    const attempt_id = await ground.settled(await ground.project());
    expect(await ground.runs(attempt_id)).toEqual(['codingagent completed', 'review completed']);
    const [seen, ...others] = ground.notes('reviewer');
    expect(others).toEqual([]);
    expect(seen!.writes).toEqual({ work: 'EROFS', git: 'EROFS', beside: 'EROFS', tmp: 'done', own: 'done' });
    expect(seen!.read).toMatch(/^line one\nline 0\.\d+\n$/);
    expect(seen!.prompt).toContain('> Write more\n> \n> Add a line to work.txt');
    expect(seen!.prompt).toMatch(/> \+line 0\.\d+/);
    expect(seen!.prompt).not.toContain('what only I know');
    expect(await ground.reviews(attempt_id)).toMatchObject([
      { verdict: 'approve', summary: 'I say approve.', role: 'reviewer', status: 'completed' },
    ]);
    expect(ground.notes('author')).toHaveLength(1);
  });

  it('requests changes, which go back to the author once and are comments of an agent', async () => {
    ground.willCall(
      [submit('request_changes', [finding(), finding({ line: 1, severity: 'nit' })])],
      [submit('approve')],
    );
    const attempt_id = await ground.settled(await ground.project());
    expect(await ground.runs(attempt_id)).toEqual([
      ...['codingagent completed', 'review completed'],
      ...['codingagent completed', 'review completed'],
    ]);
    const [, told] = ground.notes('author');
    expect(told!.prompt).toContain('> I say request_changes.');
    expect(told!.prompt).toMatch(
      /by "@reviewer" on "web\/work\.txt", line 2 \(an agent, major\):\n> line 0\.\d+\n>\n> Say what the line is for\./,
    );
    expect(await ground.comments(attempt_id)).toMatchObject([
      { author: '@reviewer', author_type: 'agent', severity: 'major', line: 2, state: 'answered', is_own: false },
      { author: '@reviewer', author_type: 'agent', severity: 'nit', line: 1, state: 'answered' },
    ]);
    expect((await ground.reviews(attempt_id)).map(({ verdict }) => verdict)).toEqual(['request_changes', 'approve']);
  });

  it('is heard as often as the project says, then a person is asked', async () => {
    ground.willCall([submit('request_changes')], [submit('request_changes')], [submit('request_changes')]);
    const attempt_id = await ground.settled(await ground.project({ rounds: 1 }));
    expect(ground.notes('author')).toHaveLength(2);
    expect(ground.notes('reviewer')).toHaveLength(2);
    const { continuations } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/continuations`);
    expect(continuations).toMatchObject([
      { cause: 'review', state: 'exhausted', round: 2 },
      { cause: 'review', state: 'sent', round: 1 },
    ]);
    ground.willCall([submit('request_changes')], [submit('approve')]); // somebody's message counts rounds anew
    await ground.kanban.call('follow_up', { attempt_id, action: 'send', prompt: 'Try again.' });
    await ground.untilSettled(attempt_id);
    expect(ground.notes('author')).toHaveLength(4);
  });

  it.each<[string, unknown[][]]>([
    ['answers in prose alone', []],
    ['fails', [['exit', { code: 3 }]]],
  ])('that %s gave no verdict: nothing follows, and that is told', async (_, calls) => {
    ground.willCall(calls as never);
    const attempt_id = await ground.settled(await ground.project());
    expect(ground.notes('author')).toHaveLength(1);
    expect(await ground.reviews(attempt_id)).toMatchObject([{ verdict: null }]);
    const status = await ground.kanban.call('get_attempt_status', { attempt_id });
    expect(status).toMatchObject({ state: 'completed', run_reason: 'codingagent' });
    expect(
      await ground.server.query('SELECT details FROM audit_log WHERE action = $1', ['review_errored']),
    ).toContainEqual({ details: expect.objectContaining({ attempt_id }) as unknown });
  });
});
