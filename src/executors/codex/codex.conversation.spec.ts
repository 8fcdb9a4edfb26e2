import { describe, expect, it } from '@jest/globals';
import { overheard, turnOf } from '../../../test/support/agent-turn.js';
import type { PermissionDecision, PermissionRequest, Turn } from '../executor.js';
import { ProgramFinder } from '../find-program.js';
import { CodexAdapter } from './codex.adapter.js';

const adapter = new CodexAdapter(
  new ProgramFinder(
    {},
    () => Promise.resolve(null),
    () => [],
  ),
);
const ended = { exit_code: 0, signal: null, spawn_error: null };
const completed = (turn: object) => ({
  method: 'turn/completed',
  params: { threadId: 'th', turn: { id: 'tu', ...turn } },
});
const change = { type: 'fileChange', id: 'c', changes: [{ path: '/w/a.txt', kind: { type: 'add' } }] };

function talk(more: Partial<Turn> = {}, decide?: (request: PermissionRequest) => Promise<PermissionDecision>) {
  const { driver } = adapter.drive(turnOf({ prompt: 'do it', cwd: '/w', ...more }));
  const heard = overheard(driver, decide);
  heard.say({ id: 1, result: {} });
  return { heard, driver, say: heard.say };
}
function running(more: Partial<Turn> = {}, decide?: (request: PermissionRequest) => Promise<PermissionDecision>) {
  const it = talk(more, decide);
  it.say({ id: 2, result: { thread: { id: 'th' } } });
  it.say({ id: 4, result: { turn: { id: 'tu' } } });
  return it;
}

describe('Codex', () => {
  it('greets, starts a thread and a turn, and closes the input when the turn is completed', () => {
    const { heard, say, driver } = running({ variant: 'HIGH' });
    expect(heard.sent).toEqual([
      { id: 1, method: 'initialize', params: { clientInfo: { name: 'taskyard', title: 'Taskyard', version: '1' } } },
      { method: 'initialized' },
      { id: 2, method: 'thread/start', params: { cwd: '/w', sandbox: 'danger-full-access', approvalPolicy: 'never' } },
      {
        id: 4,
        method: 'turn/start',
        params: { threadId: 'th', input: [{ type: 'text', text: 'do it' }], effort: 'high' },
      },
    ]);
    expect([heard.isInputClosed, driver.agentSessionId]).toEqual([false, 'th']);
    say(completed({ status: 'completed' }));
    expect([heard.isInputClosed, driver.outcome(ended).status]).toEqual([true, 'completed']);
  });

  it('resumes a thread; a lost one is started anew with the transcript, and the log says so', () => {
    const { heard, say } = talk({ agent_session_id: 'old', transcript: 'user: before' });
    expect(heard.last()).toMatchObject({ method: 'thread/resume', params: { threadId: 'old', excludeTurns: true } });
    say({ id: 3, error: { code: -32600, message: 'no rollout found for thread id old' } });
    expect(heard.last()).toMatchObject({ method: 'thread/start' });
    expect(say({ id: 2, result: { thread: { id: 'new' } } })).toMatchObject([
      { type: 'system_message', metadata: { kind: 'session_lost' } },
    ]);
    expect(JSON.stringify(heard.last())).toContain('user: before');
  });

  it('ends where the thread cannot start', () => {
    const { heard, say, driver } = talk();
    expect(say({ id: 2, error: { code: -32600, message: 'bad settings' } })).toMatchObject([
      { error_kind: 'protocol' },
    ]);
    expect([heard.isInputClosed, driver.outcome(ended).status]).toEqual([true, 'failed']);
  });

  it.each([
    ['DEFAULT', 'accept'],
    ['PLAN', 'decline'],
  ])('answers approvals of %s with %s', (variant, decision) => {
    const { heard } = running({ variant });
    heard.say({ id: 0, method: 'item/commandExecution/requestApproval', params: { itemId: 'c', command: 'make' } });
    expect(heard.last()).toEqual({ id: 0, result: { decision } });
  });

  it('asks a person in APPROVALS and names the files', async () => {
    const asked: PermissionRequest[] = [];
    const { heard, say, driver } = running({ variant: 'APPROVALS' }, (request) => {
      asked.push(request);
      return Promise.resolve({ allow: false, reason: 'no' });
    });
    say({ method: 'item/started', params: { item: change } });
    say({ id: 0, method: 'item/fileChange/requestApproval', params: { itemId: 'c', reason: null } });
    await Promise.resolve();
    expect(heard.last()).toEqual({ id: 0, result: { decision: 'decline' } });
    expect(asked).toEqual([
      {
        tool_call: 'c',
        tool_name: 'file_change',
        summary: 'add a.txt',
        input: { changes: [{ path: 'a.txt', kind: { type: 'add' } }] },
      },
    ]);
    say({ method: 'item/completed', params: { item: { ...change, status: 'declined' } } });
    expect(say(completed({ status: 'completed' }))).toMatchObject([{ error_kind: 'denied' }]);
    expect(driver.outcome(ended).status).toBe('failed');
  });

  it('refuses what it was not asked to offer', () => {
    const { heard } = running();
    heard.say({ id: 5, method: 'item/tool/requestUserInput', params: {} });
    expect(heard.last()).toMatchObject({ id: 5, error: { code: -32601 } });
  });

  it('interrupts the turn, also one that has no id yet', async () => {
    const { heard, say } = talk();
    say({ id: 2, result: { thread: { id: 'th' } } });
    const cancelled = heard.cancel();
    expect(heard.last()).toMatchObject({ method: 'turn/start' });
    say({ id: 4, result: { turn: { id: 'tu' } } });
    expect(heard.last()).toEqual({ id: 5, method: 'turn/interrupt', params: { threadId: 'th', turnId: 'tu' } });
    say({ id: 5, result: {} });
    expect(heard.isInputClosed).toBe(false);
    say(completed({ status: 'interrupted' }));
    await cancelled;
    expect(heard.isInputClosed).toBe(true);
  });

  it.each([
    ['usageLimitExceeded', 'rate_limited', true],
    ['unauthorized', 'bad_key', false],
    [{ responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 'rate_limited', true],
    [{ httpConnectionFailed: { httpStatusCode: 500 } }, 'model_error', false],
    [null, 'model_error', false],
  ])('tells failures apart: %j is %s', (codexErrorInfo, error_kind, retryable) => {
    const { say } = running();
    expect(
      say({ method: 'error', params: { error: { message: 'Reconnecting... 2/5', codexErrorInfo }, willRetry: true } }),
    ).toMatchObject([{ type: 'system_message', content: expect.stringContaining('retrying 2/5') }]);
    expect(say(completed({ status: 'failed', error: { message: 'no luck', codexErrorInfo } }))).toMatchObject([
      { error_kind, metadata: { retryable } },
    ]);
  });

  it('keeps the pieces of a message that is cut, and does not tell a whole one twice', () => {
    const { say, driver } = running();
    const delta = (itemId: string, text: string) =>
      say({ method: 'item/agentMessage/delta', params: { itemId, delta: text } });
    delta('m1', 'Hel');
    delta('m1', 'lo');
    expect(
      say({ method: 'item/completed', params: { item: { type: 'agentMessage', id: 'm1', text: 'Hello' } } }),
    ).toEqual([{ type: 'assistant_message', content: 'Hello' }]);
    delta('m2', 'cut of');
    expect(driver.flush()).toEqual([{ type: 'assistant_message', content: 'cut of' }]);
  });

  it('keeps the token of the tools out of the arguments', () => {
    const { command } = adapter.drive(
      turnOf({
        prompt: 'x',
        cwd: '/w',
        mcp: { name: 'board', url: 'http://127.0.0.1/mcp', headers: { 'X-Token': 's3cret' } },
      }),
    );
    expect(command.args).toEqual([
      'app-server',
      '-c',
      'mcp_servers.board.url="http://127.0.0.1/mcp"',
      '-c',
      'mcp_servers.board.env_http_headers={"X-Token"="TASKYARD_MCP_HEADER_0"}',
    ]);
    expect(command.env).toEqual({ TASKYARD_MCP_HEADER_0: 's3cret' });
  });
});
