import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { inkBook, knowsNothing, sampleToolset } from '../../test/support/sample-toolset.js';
import { localOwner } from '../platform/access/principal.js';
import { rightOf } from '../platform/access/scopes.js';
import { AppError } from '../platform/errors/app-error.js';
import { ToolInvoker } from './tool-invoker.js';
import type { CallContext, Toolset } from './tool.js';

const context: CallContext = { principal: localOwner, attempt_id: null, call_id: 'call-7' };
const call = { action: 'add', book_id: inkBook, text: 'hello' };

function invokerOf(handler: (input: unknown, context: CallContext) => unknown, toolset: Toolset = sampleToolset) {
  const invoker = new ToolInvoker(
    [toolset],
    () => ({ call: async (input, given) => (await handler(input, given)) as object }),
    () => ({ enter: () => () => undefined }),
    () => knowsNothing,
    (principal) => Promise.resolve(principal),
    (args) => Promise.resolve(args),
  );
  invoker.onModuleInit();
  return async (args: unknown, tool = 'write_note') => {
    const outcome = await invoker.invoke(toolset, tool, args, context);
    return { ...outcome, payload: JSON.parse(outcome.json) as Record<string, unknown> };
  };
}

describe('a tool call', () => {
  it('passes the checked input and the context to the handler and answers its result', async () => {
    const seen: unknown[] = [];
    const invoke = invokerOf((...given) => {
      seen.push(...given);
      return { note_id: inkBook, action: 'add' };
    });
    expect(await invoke({ ...call, label: null, wait_for_previous: true, note_id: '' })).toMatchObject({
      isError: false,
      status: 200,
      payload: { note_id: inkBook, action: 'add' },
    });
    expect(seen).toEqual([
      call,
      {
        ...context,
        principal: {
          ...localOwner,
          actor: { name: '@notes', type: 'system' },
          operation: rightOf({ scope: 'write' }),
        },
        wording: expect.any(Function),
      },
    ]);
  });

  it('refuses wrong arguments by name, before the handler is called', async () => {
    const invoke = invokerOf(() => {
      throw new Error('called');
    });
    expect((await invoke({ action: 'add', book_id: inkBook })).payload).toMatchObject({
      code: 'invalid_argument',
      message: 'The arguments are not valid: text is required when action=add.',
    });
    expect((await invoke({ ...call, note_id: inkBook })).payload).toMatchObject({ code: 'ambiguous_target' });
    expect((await invoke({ action: 'list' })).payload).toMatchObject({ hint: 'Use list_notes to read.' });
    expect((await invoke({ ...call, request_id: '' })).payload).toMatchObject({
      message: 'The arguments are not valid: request_id must not be blank.',
    });
    expect((await invoke('text')).payload).toMatchObject({
      message: 'The arguments are not valid: arguments must be a JSON object.',
    });
    expect((await invoke(undefined)).payload).toMatchObject({
      message: 'The arguments are not valid: action is required: one of add, replace, clear.',
    });
  });

  it('refuses arguments that nest too deep', async () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
    expect((await invokerOf(() => ({}))({ ...call, extra: deep })).payload).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('deeper than 64 levels'),
    });
  });

  it('answers a refusal of the handler as the envelope, with the tool names of the toolset', async () => {
    const outcome = await invokerOf(() => {
      throw new AppError('file_not_found', { path: 'a/b' });
    })(call);
    expect(outcome).toMatchObject({
      isError: true,
      status: 404,
      payload: {
        code: 'file_not_found',
        retryable: false,
        details: { path: 'a/b' },
        hint: expect.stringMatching(/^Call list_notes /),
      },
    });
  });

  it('knows the errors of the database', async () => {
    expect(
      (
        await invokerOf(() => {
          throw Object.assign(new Error('down'), { code: 'ECONNREFUSED' });
        })(call)
      ).payload,
    ).toMatchObject({ code: 'database_unavailable', retryable: true });
  });

  it('lets the toolset word success and refusal', async () => {
    const dialect: Toolset = {
      ...sampleToolset,
      renderResult: (result) => ({ ok: result }),
      renderError: (error, { tool, arguments: args }) => ({
        isError: false,
        structured: { failed: error.code, tool, args },
      }),
    };
    expect((await invokerOf(() => ({ a: 1 }), dialect)(call)).payload).toEqual({ ok: { a: 1 } });
    expect(
      await invokerOf(() => {
        throw new AppError('session_busy');
      }, dialect)(call),
    ).toMatchObject({
      isError: false,
      status: 409,
      payload: { failed: 'session_busy', tool: 'write_note', args: call },
    });
  });

  it('is refused where the toolset has no such tool', async () => {
    await expect(invokerOf(() => ({}))(call, 'read_note')).rejects.toMatchObject({
      code: 'tool_unknown',
      details: { tool: 'read_note', similar: ['list_notes', 'write_note', 'get_context'] },
    });
  });
});

describe('an unexpected error', () => {
  const logged: unknown[][] = [];
  beforeEach(() => Logger.overrideLogger({ log() {}, warn() {}, error: (...line: unknown[]) => logged.push(line) }));
  afterEach(() => {
    logged.length = 0;
    Logger.overrideLogger(false);
  });

  it('is logged once with the id of the call, the only thing the caller learns', async () => {
    const outcome = await invokerOf(() => {
      throw new Error('password=hunter2');
    })(call);
    expect(outcome).toMatchObject({
      isError: true,
      status: 500,
      payload: { code: 'internal_error', retryable: true, details: { request_id: 'call-7' } },
    });
    expect(outcome.json).not.toContain('hunter2');
    expect(logged).toEqual([
      [
        { err: expect.objectContaining({ message: 'password=hunter2' }), call_id: 'call-7' },
        'write_note failed',
        'Mcp',
      ],
    ]);
  });

  it('is also one that only shows when the result is written', async () => {
    expect((await invokerOf(() => ({ size: 1n }))(call)).payload).toMatchObject({ code: 'internal_error' });
    expect(logged).toHaveLength(1);
  });
});
