import { describe, expect, it } from '@jest/globals';
import { both, greeting, opened, profile, talk, update } from '../../../test/support/acp-talk.js';

describe('the session of an agent of the Agent Client Protocol', () => {
  it('greets without file system and terminal, opens a session, prompts, and closes the input at the answer', () => {
    const { heard, say, methods, driver } = opened();
    expect(heard.sent[0]).toMatchObject({
      params: {
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
    });
    expect(heard.sent[1]).toMatchObject({ method: 'session/new', params: { cwd: '/w', mcpServers: [] } });
    expect(heard.last()).toMatchObject({
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'do it' }] },
    });
    expect(heard.isInputClosed).toBe(false);
    say({ id: 7, result: { stopReason: 'end_turn' } });
    expect([heard.isInputClosed, driver.agentSessionId, methods().length]).toEqual([true, 's', 3]);
  });

  it('hands over its own tools where the agent takes them over HTTP', () => {
    const mcp = { name: 'board', url: 'http://127.0.0.1/mcp', headers: { 'X-Token': 't' } };
    const { heard, say } = talk({ mcp });
    say(greeting(both));
    expect(heard.last()).toMatchObject({
      params: {
        mcpServers: [{ type: 'http', name: 'board', url: mcp.url, headers: [{ name: 'X-Token', value: 't' }] }],
      },
    });
    const deaf = talk({ mcp });
    deaf.say(greeting({}));
    expect(deaf.heard.last()).toMatchObject({ params: { mcpServers: [] } });
  });

  it('resumes; where that is not found it loads, and drops the replay', () => {
    const { heard, say, driver } = talk({ agent_session_id: 'old' });
    say(greeting(both));
    expect(heard.last()).toMatchObject({ method: 'session/resume', params: { sessionId: 'old' } });
    say({ id: 4, error: { code: -32601, message: 'Method not found' } });
    expect(heard.last()).toMatchObject({ method: 'session/load', params: { sessionId: 'old' } });
    expect(say(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'earlier' } }))).toEqual(
      [],
    );
    expect(say({ id: 5, result: {} })).toMatchObject([{ metadata: { kind: 'session_resumed' } }]);
    expect(heard.last()).toMatchObject({
      method: 'session/prompt',
      params: { sessionId: 'old', prompt: [{ text: 'do it' }] },
    });
    expect(driver.agentSessionId).toBe('old');
  });

  it('leaves an agent that writes on after its answer the time for it, unless it is stopped', async () => {
    const slow = { ...profile, writes_on_ms: 10 };
    const { heard, say } = talk({}, undefined, slow);
    say(greeting(both));
    say({ id: 3, result: { sessionId: 's' } });
    say({ id: 7, result: { stopReason: 'end_turn' } });
    expect(heard.isInputClosed).toBe(false);
    while (!heard.isInputClosed) await new Promise((resolve) => setTimeout(resolve, 5));
    const stopped = talk({}, undefined, slow);
    await stopped.heard.cancel();
    expect(stopped.heard.isInputClosed).toBe(true);
  });

  it.each([
    ['refused', { id: 5, error: { code: -32603, message: 'gone' } }, 'gone'],
    ['loaded without anything in it', { id: 5, result: {} }, 'nothing was loaded'],
  ])('starts anew with the transcript where the session is %s', (_, answer, why) => {
    const { heard, say } = talk({ agent_session_id: 'old', transcript: 'user: hello' });
    say(greeting({ loadSession: true }));
    say(answer);
    const [note] = say({ id: 3, result: { sessionId: 'new' } });
    expect(note!.content).toBe(
      `Could not resume the agent session (${why}). Started a new one with the conversation so far.`,
    );
    expect(JSON.stringify(heard.last())).toContain('user: hello\\n\\nContinue with:\\n\\ndo it');
  });

  it('logs in with a key where that is wanted, once', () => {
    const wanted = { id: 3, error: { code: -32000, message: 'Authentication required' } };
    const { heard, say, methods } = talk();
    say(greeting(both, [{ id: 'browser' }, { id: 'key' }]));
    say(wanted);
    expect(heard.last()).toMatchObject({ method: 'authenticate', params: { methodId: 'key' } });
    say({ id: 2, result: {} });
    expect(methods().slice(-1)).toEqual(['session/new']);
    expect(say(wanted)).toMatchObject([{ type: 'error_message', error_kind: 'login_missing' }]);
    expect(heard.isInputClosed).toBe(true);
  });

  it('fails where only a person could log in', () => {
    const { heard, say, driver } = talk();
    say(greeting(both, [{ id: 'browser' }]));
    say({ id: 3, error: { code: -32000, message: 'Authentication required' } });
    expect(heard.isInputClosed).toBe(true);
    expect(driver.outcome({ exit_code: 0, signal: null, spawn_error: null })).toEqual({
      status: 'failed',
      failure_summary: 'not logged in: Authentication required',
      cause: { class: 'final', resets_at: null },
    });
  });

  it('sets the mode of a variant before the prompt, and does not work in another one', () => {
    const { heard, say, driver } = opened({ variant: 'PLAN' });
    expect(heard.last()).toMatchObject({ method: 'session/set_mode', params: { sessionId: 's', modeId: 'plan' } });
    say({ id: 6, error: { code: -32601, message: 'no modes' } });
    expect([heard.isInputClosed, heard.sent.length]).toEqual([true, 3]);
    expect(driver.outcome({ exit_code: 0, signal: null, spawn_error: null }).failure_summary).toContain(
      'could not set the mode',
    );
  });
});
