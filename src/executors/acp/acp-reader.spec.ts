import { describe, expect, it } from '@jest/globals';
import { opened, permission, update } from '../../../test/support/acp-talk.js';

describe('the entries of an agent of the Agent Client Protocol', () => {
  const call = (id: string, more: object = {}) =>
    update({ sessionUpdate: 'tool_call_update', toolCallId: id, ...more });

  it('takes results of calls that nobody announced', () => {
    const { say } = opened();
    expect(
      say(
        call('t', {
          status: 'completed',
          title: 'make',
          kind: 'execute',
          content: [{ type: 'content', content: { type: 'text', text: 'ok' } }],
        }),
      ),
    ).toMatchObject([
      { type: 'tool_use', content: 'make', tool_call: 't' },
      { type: 'tool_result', content: 'ok', tool_call: 't', metadata: { status: 'completed' } },
    ]);
  });

  it('replaces content, and takes updates without a status', () => {
    const { say } = opened();
    const text = (value: string) => ({ content: [{ type: 'content', content: { type: 'text', text: value } }] });
    expect(say(call('t', { status: 'in_progress', title: 'x', ...text('one') }))).toHaveLength(1);
    expect(say(call('t', text('one two')))).toEqual([]);
    expect(say(call('t', { status: 'completed' }))).toMatchObject([{ content: 'one two' }]);
    expect(say(call('t', { status: 'completed' }))).toEqual([]);
  });

  it('reads terminal output and exit code from the metadata', () => {
    const { say } = opened();
    say(call('t', { status: 'in_progress', title: 'x', _meta: { terminal_output_delta: { data: 'a' } } }));
    expect(
      say(
        call('t', {
          status: 'completed',
          _meta: { terminal_output_delta: { data: 'b' }, terminal_exit: { exit_code: 2 } },
        }),
      ),
    ).toMatchObject([{ content: 'ab', metadata: { exit_code: 2 } }]);
  });

  it('joins pieces until another kind or a pause, and knows the whole answer', () => {
    const { say, driver } = opened();
    const piece = (text: string) =>
      say(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }));
    expect([piece('Hel'), piece('lo ')]).toEqual([[], []]);
    expect(driver.flush()).toEqual([{ type: 'assistant_message', content: 'Hello ' }]);
    expect(piece('you')).toEqual([]);
    expect(say(update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } }))).toEqual([
      { type: 'assistant_message', content: 'you', continues: true },
    ]);
    expect(driver.finalMessage).toBe('Hello you');
  });

  it('calls a turn denied where every call was asked for and none succeeded', () => {
    const { say, driver } = opened();
    say(permission(9));
    expect(say({ id: 7, result: { stopReason: 'end_turn' } })).toMatchObject([
      { type: 'tool_result', metadata: { status: 'unfinished' } },
      { error_kind: 'denied' },
    ]);
    expect(driver.outcome({ exit_code: 0, signal: null, spawn_error: null }).status).toBe('failed');
  });

  it('takes an error for an answer only where no model answered', () => {
    const complain = (usage: object) => {
      const { say, driver } = opened();
      say(
        update({
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: 'Error: quota exceeded (HTTP 429)' },
        }),
      );
      say({ id: 7, result: { stopReason: 'end_turn', usage } });
      return driver.outcome({ exit_code: 0, signal: null, spawn_error: null });
    };
    expect(complain({ inputTokens: 0, outputTokens: 0 })).toEqual({
      status: 'failed',
      failure_summary: 'rate limited: Error: quota exceeded (HTTP 429)',
      cause: { class: 'quota', resets_at: null },
    });
    expect(complain({ inputTokens: 10, outputTokens: 9 }).status).toBe('completed');
  });

  it.each(['refusal', 'max_tokens', 'max_turn_requests', ''])('fails at the stop reason "%s"', (stopReason) => {
    const { say, driver } = opened();
    say({ id: 7, result: { stopReason } });
    expect(driver.outcome({ exit_code: 0, signal: null, spawn_error: null }).status).toBe('failed');
  });
});
