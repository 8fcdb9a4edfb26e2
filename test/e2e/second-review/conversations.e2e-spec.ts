import { expect, it, describe } from '@jest/globals';
import { onlyWith } from '../../support/machine.js';
import type { Json } from '../../support/mcp-client.js';
import { SecondReviewGround, submit } from '../../support/second-review-ground.js';

onlyWith('bubblewrap').describe('beside a review', () => {
  const ground = SecondReviewGround.use({ ISOLATION: 'bubblewrap', RUN_NETWORK: 'host' });

  it('the conversation stays the author`s, and nothing is reviewed twice that has not changed', async () => {
    ground.willCall([submit('approve')], [submit('approve')]);
    const project_id = await ground.project();
    const attempt_id = await ground.settled(project_id);
    const { sessions } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/sessions`);
    expect((sessions as Json[]).map(({ role, executor }) => [role, executor])).toEqual([
      ['reviewer', 'REVIEWER'],
      ['author', 'AUTHOR'],
    ]);
    const [reviewer, author] = (sessions as Json[]).map(({ session_id }) => session_id as string);
    const status = await ground.kanban.call('get_attempt_status', { attempt_id });
    expect(status).toMatchObject({
      ...{ latest_session_id: author, latest_session_executor: 'AUTHOR', run_reason: 'codingagent' },
      final_message: 'I wrote a line, and this is what only I know.',
    });
    const { page } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/messages`);
    expect((page.entries as Json[]).map(({ summary }) => summary)).toEqual([status.final_message]);
    const its = await ground.rest.does('GET', `/api/sessions/${reviewer}/messages`);
    expect((its.page.entries as Json[]).map(({ summary }) => summary)).toEqual(['I reviewed.']);
    expect(
      await ground.rest.refused('POST', `/api/sessions/${reviewer}/follow-up`, { action: 'send', prompt: 'x' }),
    ).toMatchObject({ status: 409, code: 'session_reviews' });
    const { task_id } = status;
    const idle = await ground.kanban.call('start_task_attempt', { task_id, executor: 'SHELL', prompt: 'true' });
    await ground.untilSettled(idle.attempt_id as string);
    const reviews = await ground.server.query('SELECT id FROM agent_reviews WHERE project_id = $1', [project_id]);
    expect(reviews).toHaveLength(1); // what has not changed is not reviewed, nor what is not there
    await ground.rest.does('POST', `/api/attempts/${attempt_id}/retry`);
    await ground.untilSettled(attempt_id);
    expect((await ground.runs(attempt_id)).slice(2)).toEqual(['codingagent completed', 'review completed']);
  });

  it('a message that waits for the author survives a reviewer that fails', async () => {
    ground.willCall(
      [
        ['wait', { gate: 'go' }],
        ['exit', { code: 3 }],
      ],
      [submit('approve')],
    );
    const attempt_id = await ground.begin(await ground.project());
    while (ground.notes('reviewer').length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await ground.kanban.call('follow_up', { attempt_id, action: 'queue', prompt: 'And one more.' });
    ground.open('go');
    await ground.untilSettled(attempt_id);
    expect(await ground.runs(attempt_id)).toEqual([
      ...['codingagent completed', 'review failed'],
      ...['codingagent completed', 'review completed'],
    ]);
    expect(ground.notes('author').at(-1)!.prompt).toContain('And one more.');
  });

  it('what its checks refuse is not reviewed; what they pass is, with what they said', async () => {
    ground.willCall([submit('approve')], [submit('approve')]);
    const project_id = await ground.project({}, { checks: 'warn', fix_rounds: 0 });
    const { repos } = await ground.rest.does('GET', `/api/projects/${project_id}/repos`);
    const check = async (command: string): Promise<string> => {
      const checks = [{ name: 'tests', command, timeout_secs: 60, required: true }];
      await ground.rest.does('PUT', `/api/projects/${project_id}/repos/${repos[0].repo_id}/checks`, { checks });
      return ground.settled(project_id);
    };
    expect(await ground.reviews(await check('echo red; exit 3'))).toEqual([]);
    const green = await check('echo green');
    expect(await ground.runs(green)).toEqual(['codingagent completed', 'check completed', 'review completed']);
    expect(ground.notes('reviewer').at(-1)!.prompt).toContain('Check "tests" in "web": passed, exit code 0.');
  });

  it('an executor that calls no tools is no reviewer', async () => {
    const project_id = await ground.project();
    expect(
      await ground.rest.refused('PUT', `/api/projects/${project_id}`, { review: { executor: 'SHELL' } }),
    ).toMatchObject({ status: 409, code: 'executor_without_mcp' });
  });
});

describe('a review without walls', () => {
  const ground = SecondReviewGround.use({ ISOLATION: 'none' });

  it('is refused, since nothing would keep it from writing', async () => {
    const attempt_id = await ground.settled(await ground.project());
    expect(await ground.runs(attempt_id)).toEqual(['codingagent completed', 'review failed']);
    const { review } = await ground.rest.does('GET', `/api/attempts/${attempt_id}/checks`);
    expect(review).toMatchObject({ state: 'errored', reason: expect.stringContaining('bubblewrap') });
    expect(ground.notes('reviewer')).toEqual([]);
  });
});
