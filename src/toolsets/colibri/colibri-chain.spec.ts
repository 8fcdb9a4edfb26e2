import { knowsNothing } from '../../../test/support/sample-toolset.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ToolsetCatalogue } from '../../mcp/catalogue/toolset-catalogue.js';
import { toolDefinitionOf } from '../../mcp/tool.js';
import { ToolInvoker } from '../../mcp/tool-invoker.js';
import { localOwner } from '../../platform/access/principal.js';
import { AppError } from '../../platform/errors/app-error.js';
import { colibriToolset } from './colibri.toolset.js';
import { TaskCreateTool } from './colibri.tools.js';

const seen: string[] = [];
beforeEach(() => {
  seen.length = 0;
});

/** The chain with the given handler, and a sink that notes each call. */
async function call(tool: string, args: object, handle: () => object = () => ({ id: 1 })): Promise<unknown> {
  const invoker = new ToolInvoker(
    [colibriToolset],
    (found) => ({
      call: () => {
        seen.push(`dispatch ${toolDefinitionOf(found).name}`);
        return Promise.resolve().then(handle);
      },
    }),
    () => ({
      enter: (start) => {
        seen.push(`enter ${start.toolset} ${start.tool} ${start.context.principal.actor.name}`);
        return (code) => seen.push(`exit ${code}`);
      },
    }),
    () => knowsNothing,
    (principal) => Promise.resolve(principal),
    (args) => Promise.resolve(args),
  );
  invoker.onModuleInit();
  return JSON.parse(
    (await invoker.invoke(colibriToolset, tool, args, { principal: localOwner, attempt_id: null })).json,
  );
}

describe('the registration of Colibri tools', () => {
  it('throws on duplicate', () => {
    const twice = { ...colibriToolset, tools: [...colibriToolset.tools, TaskCreateTool] };
    expect(() => new ToolsetCatalogue(twice)).toThrow('toolset colibri: the tool task_create is registered twice');
  });
});

describe('the chain around a Colibri tool', () => {
  it('records the call, dispatches it, and records its end', async () => {
    expect(await call('task_get', { id: 'x' })).toEqual({ ok: true, data: { id: 1 } });
    expect(seen).toEqual(['enter colibri task_get @colibri', 'dispatch task_get', 'exit null']);
  });

  it('validates before it dispatches: a wrong call never reaches the tool, yet it is recorded', async () => {
    expect(await call('task_get', {})).toMatchObject({ ok: false, error: { code: 'INVALID_PARAMS' } });
    expect(seen).toEqual(['enter colibri task_get @colibri', 'exit invalid_argument']);
  });

  it('records what a tool refuses, inside or outside the envelope', async () => {
    expect(
      await call('task_get', { id: 'x' }, () => {
        throw new AppError('task_not_found', { task_id: 'x' });
      }),
    ).toMatchObject({ ok: true, data: { ok: false } });
    expect(
      await call('task_list', {}, () => {
        throw new AppError('database_unavailable');
      }),
    ).toMatchObject({ ok: false, error: { code: 'HANDLER_ERROR' } });
    expect(seen).toEqual([
      'enter colibri task_get @colibri',
      'dispatch task_get',
      'exit task_not_found',
      'enter colibri task_list @colibri',
      'dispatch task_list',
      'exit database_unavailable',
    ]);
  });
});
