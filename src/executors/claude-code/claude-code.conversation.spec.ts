import { describe, expect, it } from '@jest/globals';
import { overheard, turnOf } from '../../../test/support/agent-turn.js';
import type { PermissionDecision, PermissionRequest, Turn } from '../executor.js';
import { ProgramFinder } from '../find-program.js';
import { ClaudeCodeAdapter } from './claude-code.adapter.js';

const adapter = new ClaudeCodeAdapter(
  new ProgramFinder(
    {},
    () => Promise.resolve(null),
    () => [],
  ),
);
const turn = (more: Partial<Turn> = {}) => turnOf({ prompt: 'do it', cwd: '/w', ...more });
const commandOf = (more: Partial<Turn> = {}) => adapter.drive(turn(more)).command;
const canUse = (request_id: string) => ({
  type: 'control_request',
  request_id,
  request: { subtype: 'can_use_tool', tool_name: 'Write', tool_use_id: 't', input: { file_path: '/w/a.txt' } },
});

function talk(more: Partial<Turn> = {}, decide?: (request: PermissionRequest) => Promise<PermissionDecision>) {
  const heard = overheard(adapter.drive(turn(more)).driver, decide);
  heard.say({
    type: 'control_response',
    response: { subtype: 'success', request_id: 'taskyard-initialize', response: {} },
  });
  return heard;
}
const valueOf = (args: readonly string[], flag: string) => args[args.indexOf(flag) + 1];

describe('Claude Code', () => {
  it('starts a session under an id of ours and resumes one', () => {
    const [first, second] = [commandOf().args, commandOf().args];
    expect(valueOf(first, '--session-id')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(valueOf(first, '--session-id')).not.toBe(valueOf(second, '--session-id'));
    const resumed = commandOf({ agent_session_id: 'abc' }).args;
    expect([valueOf(resumed, '--resume'), resumed.includes('--session-id')]).toEqual(['abc', false]);
  });

  it.each([
    ['DEFAULT', 'bypassPermissions', false],
    ['PLAN', 'plan', false],
    ['APPROVALS', 'default', false],
    ['OPUS', 'bypassPermissions', true],
  ])('runs %s in mode %s', (variant, mode, hasModel) => {
    const { args, env } = commandOf({ variant });
    expect([valueOf(args, '--permission-mode'), args.includes('--model')]).toEqual([mode, hasModel]);
    expect(env).toMatchObject({ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' });
  });

  it('keeps the token of the tools out of the arguments', () => {
    const { args, env } = commandOf({
      mcp: { name: 'board', url: 'http://127.0.0.1/mcp', headers: { 'X-Token': 's3cret' } },
    });
    expect(args.join(' ')).not.toContain('s3cret');
    expect(JSON.parse(valueOf(args, '--mcp-config')!)).toEqual({
      mcpServers: {
        board: { type: 'http', url: 'http://127.0.0.1/mcp', headers: { 'X-Token': '${TASKYARD_MCP_HEADER_0}' } },
      },
    });
    expect(env.TASKYARD_MCP_HEADER_0).toBe('s3cret');
  });

  it('greets, prompts after the answer, and closes the input at the result', () => {
    const heard = overheard(adapter.drive(turn({ transcript: 'user: before' })).driver);
    expect(heard.sent).toMatchObject([{ type: 'control_request', request: { subtype: 'initialize' } }]);
    heard.say({ type: 'control_response', response: { subtype: 'success', request_id: 'taskyard-initialize' } });
    expect(JSON.stringify(heard.last())).toContain('user: before\\n\\nContinue with:\\n\\ndo it');
    expect(heard.isInputClosed).toBe(false);
    heard.say({ type: 'result', subtype: 'success' });
    expect(heard.isInputClosed).toBe(true);
  });

  it.each([
    ['DEFAULT', { behavior: 'allow', updatedInput: { file_path: '/w/a.txt' } }],
    ['PLAN', { behavior: 'deny' }],
  ])('answers permissions of %s itself', (variant, response) => {
    const heard = talk({ variant });
    heard.say(canUse('r1'));
    expect(heard.last()).toMatchObject({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'r1', response },
    });
  });

  it('asks a person in APPROVALS and passes the reason on', async () => {
    const asked: PermissionRequest[] = [];
    const heard = talk({ variant: 'APPROVALS' }, (request) => {
      asked.push(request);
      return Promise.resolve({ allow: false, reason: 'not today' });
    });
    heard.say(canUse('r1'));
    await Promise.resolve();
    expect(asked).toEqual([{ tool_call: 't', tool_name: 'Write', summary: 'a.txt', input: { file_path: 'a.txt' } }]);
    expect(heard.last()).toMatchObject({ response: { response: { behavior: 'deny', message: 'not today' } } });
  });

  it('answers requests it does not know with an error', () => {
    const heard = talk();
    heard.say({ type: 'control_request', request_id: 'r2', request: { subtype: 'hook_callback' } });
    expect(heard.last()).toMatchObject({ response: { subtype: 'error', request_id: 'r2' } });
  });

  it('interrupts, and settles at the result', async () => {
    const heard = talk();
    const cancelled = heard.cancel();
    expect(heard.last()).toMatchObject({ type: 'control_request', request: { subtype: 'interrupt' } });
    heard.say({ type: 'result', subtype: 'error_during_execution', is_error: true });
    await cancelled;
    expect(heard.isInputClosed).toBe(true);
  });

  it('closes the input at a cancel before the prompt, and does not prompt then', async () => {
    const heard = overheard(adapter.drive(turn()).driver);
    await heard.cancel();
    heard.say({ type: 'control_response', response: { request_id: 'taskyard-initialize' } });
    expect([heard.isInputClosed, heard.sent.length]).toEqual([true, 1]);
  });
});
