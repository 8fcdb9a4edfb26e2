import { describe, expect, it } from '@jest/globals';
import { both, greeting, opened, permission, profile, talk, update } from '../../../test/support/acp-talk.js';
import type { PermissionDecision, PermissionRequest } from '../executor.js';

describe('requests of an agent of the Agent Client Protocol, and the cancel', () => {
  it.each([
    ['DEFAULT', 'once'],
    ['PLAN', 'no'],
  ])('answers permissions of %s with %s', (variant, optionId) => {
    const { heard } = opened({ variant });
    heard.say(permission(9));
    expect(heard.last()).toEqual({ jsonrpc: '2.0', id: 9, result: { outcome: { outcome: 'selected', optionId } } });
  });

  it('asks a person in APPROVALS, with paths of the worktree', async () => {
    const asked: PermissionRequest[] = [];
    const { heard } = opened({ variant: 'APPROVALS' }, (request) => {
      asked.push(request);
      return Promise.resolve(asked.length === 1 ? { allow: true } : { allow: false, reason: 'no' });
    });
    heard.say(permission(9));
    await Promise.resolve();
    expect(heard.last()).toMatchObject({ id: 9, result: { outcome: { optionId: 'once' } } });
    heard.say(permission(10));
    await Promise.resolve();
    expect(heard.last()).toMatchObject({ id: 10, result: { outcome: { optionId: 'no' } } });
    expect(asked[0]).toEqual({ tool_call: 't', tool_name: 'edit', summary: 'a.txt', input: { path: 'a.txt' } });
  });

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'elicitation/create'])(
    'does not do %s',
    (method) => {
      const { heard } = opened();
      heard.say({ id: 'x', method, params: {} });
      expect(heard.last()).toMatchObject({ id: 'x', error: { code: -32601 } });
    },
  );

  it('cancels: withdraws what is asked, tells the agent, settles at its answer', async () => {
    let late: (decision: PermissionDecision) => void = () => undefined;
    const { heard } = opened(
      { variant: 'APPROVALS' },
      () =>
        new Promise((resolve) => {
          late = resolve;
        }),
    );
    heard.say(permission(9));
    let isSettled = false;
    const cancelled = heard.cancel().then(() => {
      isSettled = true;
    });
    expect(heard.sent.slice(-2)).toEqual([
      { jsonrpc: '2.0', id: 9, result: { outcome: { outcome: 'cancelled' } } },
      { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } },
    ]);
    late({ allow: true });
    await Promise.resolve();
    expect([isSettled, heard.sent.filter(({ id }) => id === 9).length]).toEqual([false, 1]);
    heard.say({ id: 7, result: { stopReason: 'cancelled' } });
    await cancelled;
    expect(heard.isInputClosed).toBe(true);
  });

  it('cancels a loaded session under the name it was loaded by', () => {
    const { heard, say } = talk({ agent_session_id: 'old' }, undefined, {
      ...profile,
      load_name: (id) => `_${id}`,
    });
    say(greeting({ loadSession: true }));
    say(update({ sessionUpdate: 'user_message_chunk' }));
    say({ id: 5, result: {} });
    void heard.cancel();
    expect(heard.last()).toMatchObject({ method: 'session/cancel', params: { sessionId: '_old' } });
  });

  it('closes the input at a cancel before the prompt', async () => {
    const { heard, say } = talk();
    await heard.cancel();
    say(greeting(both));
    expect([heard.isInputClosed, heard.sent.length]).toEqual([true, 1]);
  });
});
