import { describe, expect, it } from '@jest/globals';
import { outputLine, overheard, turnOf } from '../../../test/support/agent-turn.js';
import { AgentNormalizer } from '../agent/agent-normalizer.js';
import type { PermissionDecision, PermissionRequest, Turn } from '../executor.js';
import type { AcpProfile } from './acp-profile.js';
import { AcpReader } from './acp-reader.js';
import { AcpConversation } from './acp.conversation.js';

const profile: AcpProfile = {
  executor: 'X',
  program: 'x',
  args: [],
  env: {},
  default_variant: 'DEFAULT',
  supports_mcp: true,
  resume: ['resume', 'load'],
  auth_methods: ['key'],
  install: '',
  variants: { DEFAULT: {}, APPROVALS: { permissions: 'ask' }, PLAN: { mode: 'plan', permissions: 'refuse' } },
};
const both = { loadSession: true, sessionCapabilities: { resume: {} }, mcpCapabilities: { http: true } };
const greeting = (agentCapabilities: object, authMethods: object[] = []) => ({
  jsonrpc: '2.0',
  id: 1,
  result: { protocolVersion: 1, agentCapabilities, authMethods },
});
const options = [
  { optionId: 'always', kind: 'allow_always' },
  { optionId: 'once', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
];
const permission = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'session/request_permission',
  params: {
    sessionId: 's',
    options,
    toolCall: { toolCallId: 't', title: '/w/a.txt', kind: 'edit', rawInput: { path: '/w/a.txt' } },
  },
});
const update = (body: object) => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId: 's', update: body },
});

/** A conversation and the normalizer beside it, as a run has them. */
function talk(
  turn: Partial<Turn> = {},
  decide?: (request: PermissionRequest) => Promise<PermissionDecision>,
  agent = profile,
) {
  const whole = turnOf({ prompt: 'do it', cwd: '/w', ...turn });
  const conversation = new AcpConversation(whole, agent);
  const heard = overheard(conversation, decide);
  const normalizer = new AgentNormalizer(new AcpReader(whole, agent), '/w');
  const say = (message: object) => {
    heard.say(message);
    return normalizer.push(outputLine(JSON.stringify(message)));
  };
  return { conversation, heard, normalizer, say, methods: () => heard.sent.map(({ method }) => method) };
}
const opened = (turn: Partial<Turn> = {}, decide?: (request: PermissionRequest) => Promise<PermissionDecision>) => {
  const it = talk(turn, decide);
  it.say(greeting(both));
  it.say({ id: 3, result: { sessionId: 's' } });
  return it;
};

describe('a conversation in the Agent Client Protocol', () => {
  it('greets without file system and terminal, opens a session, prompts, and closes the input at the answer', () => {
    const { heard, say, methods, normalizer } = opened();
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
    expect([heard.isInputClosed, normalizer.agentSessionId(), methods().length]).toEqual([true, 's', 3]);
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
    const { heard, say, normalizer } = talk({ agent_session_id: 'old' });
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
    expect(normalizer.agentSessionId()).toBe('old');
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
    await stopped.conversation.cancel();
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
      `The agent's session could not be resumed (${why}). A new one was started, the transcript so far was given to it.`,
    );
    expect(JSON.stringify(heard.last())).toContain('user: hello\\n\\nGo on with:\\n\\ndo it');
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
    const { heard, say, normalizer } = talk();
    say(greeting(both, [{ id: 'browser' }]));
    say({ id: 3, error: { code: -32000, message: 'Authentication required' } });
    expect(heard.isInputClosed).toBe(true);
    expect(normalizer.outcome({ exit_code: 0, signal: null, spawn_error: null })).toEqual({
      status: 'failed',
      failure_summary: 'not logged in: Authentication required',
    });
  });

  it('sets the mode of a variant before the prompt, and does not work in another one', () => {
    const { heard, say, normalizer } = opened({ variant: 'PLAN' });
    expect(heard.last()).toMatchObject({ method: 'session/set_mode', params: { sessionId: 's', modeId: 'plan' } });
    say({ id: 6, error: { code: -32601, message: 'no modes' } });
    expect([heard.isInputClosed, heard.sent.length]).toEqual([true, 3]);
    expect(normalizer.outcome({ exit_code: 0, signal: null, spawn_error: null }).failure_summary).toContain(
      'could not set the mode',
    );
  });

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
    const { conversation, heard } = opened(
      { variant: 'APPROVALS' },
      () =>
        new Promise((resolve) => {
          late = resolve;
        }),
    );
    heard.say(permission(9));
    let isSettled = false;
    const cancelled = conversation.cancel().then(() => {
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
    const { conversation, heard, say } = talk({ agent_session_id: 'old' }, undefined, {
      ...profile,
      load_name: (id) => `_${id}`,
    });
    say(greeting({ loadSession: true }));
    say(update({ sessionUpdate: 'user_message_chunk' }));
    say({ id: 5, result: {} });
    void conversation.cancel();
    expect(heard.last()).toMatchObject({ method: 'session/cancel', params: { sessionId: '_old' } });
  });

  it('closes the input at a cancel before the prompt', async () => {
    const { conversation, heard, say } = talk();
    await conversation.cancel();
    say(greeting(both));
    expect([heard.isInputClosed, heard.sent.length]).toEqual([true, 1]);
  });
});

describe('what such an agent says', () => {
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
    const { say, normalizer } = opened();
    const piece = (text: string) =>
      say(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }));
    expect([piece('Hel'), piece('lo ')]).toEqual([[], []]);
    expect(normalizer.flush()).toEqual([{ type: 'assistant_message', content: 'Hello ' }]);
    piece('you');
    expect(say(update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } }))).toEqual([
      { type: 'assistant_message', content: 'you' },
    ]);
    expect(normalizer.finalMessage()).toBe('Hello you');
  });

  it('calls a turn denied where every call was asked for and none succeeded', () => {
    const { say, normalizer } = opened();
    say(permission(9));
    expect(say({ id: 7, result: { stopReason: 'end_turn' } })).toMatchObject([
      { type: 'tool_result', metadata: { status: 'unfinished' } },
      { error_kind: 'denied' },
    ]);
    expect(normalizer.outcome({ exit_code: 0, signal: null, spawn_error: null }).status).toBe('failed');
  });

  it('takes an error for an answer only where no model answered', () => {
    const complain = (usage: object) => {
      const { say, normalizer } = opened();
      say(
        update({
          sessionUpdate: 'agent_message_chunk',
          content: { type: 'text', text: 'Error: quota exceeded (HTTP 429)' },
        }),
      );
      say({ id: 7, result: { stopReason: 'end_turn', usage } });
      return normalizer.outcome({ exit_code: 0, signal: null, spawn_error: null });
    };
    expect(complain({ inputTokens: 0, outputTokens: 0 })).toEqual({
      status: 'failed',
      failure_summary: 'rate limited: Error: quota exceeded (HTTP 429)',
    });
    expect(complain({ inputTokens: 10, outputTokens: 9 }).status).toBe('completed');
  });

  it.each(['refusal', 'max_tokens', 'max_turn_requests', ''])('fails at the stop reason "%s"', (stopReason) => {
    const { say, normalizer } = opened();
    say({ id: 7, result: { stopReason } });
    expect(normalizer.outcome({ exit_code: 0, signal: null, spawn_error: null }).status).toBe('failed');
  });
});
