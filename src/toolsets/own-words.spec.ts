import { describe, expect, it } from '@jest/globals';
import '../error-catalogue.js';
import { toolDefinitionOf } from '../mcp/tool.js';
import { refuse } from '../mcp/tool-invoker.js';
import { AppError } from '../platform/errors/app-error.js';
import { errorCatalogue, type ErrorCode } from '../platform/errors/error-catalogue.js';
import { operations } from '../platform/errors/operations.js';
import { errorExample } from '../platform/errors/error-examples.js';
import { fieldsOf } from '../platform/fields/field-node.js';
import { colibriToolset } from './colibri/colibri.toolset.js';
import { taskflowToolset } from './taskflow/taskflow.toolset.js';

/** Operations that a dialect lacks would be named so. */
const paths = Object.values(operations).map((path) => path.replace(/\{\w+\}/g, 'x'));
const codes = Object.keys(errorCatalogue) as ErrorCode[];

describe.each([taskflowToolset, colibriToolset])('every hint of $id', (toolset) => {
  const tools = toolset.tools.map(toolDefinitionOf);
  const own = new Set(
    tools.flatMap(({ name, input, output }) => [name, ...fieldsOf(input).keys(), ...fieldsOf(output).keys()]),
  );
  const hintOf = (error: AppError): string => {
    const { json } = refuse(toolset, { tool: tools[0]!.name, arguments: {} }, error);
    const answer = JSON.parse(json) as { hint?: string; error?: { hint: string }; data?: { error: { hint: string } } };
    return (answer.hint ?? answer.error?.hint ?? answer.data?.error.hint)!;
  };

  it.each(codes)('names nothing of others: %s', (code) => {
    // facts may be anything: they are not the words of the dialect
    const facts = Object.fromEntries(Object.keys(errorExample(code).details).map((name) => [name, 'x']));
    const hint = hintOf(new AppError(code, facts));
    expect(hint).toMatch(/\S{3,} .*[.!]$/);
    expect(paths.filter((path) => hint.includes(path))).toEqual([]);
    expect((hint.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? []).filter((name) => !own.has(name))).toEqual([]);
  });
});

describe('hints that a dialect has', () => {
  it('stay whole', () => {
    const refused = refuse(
      taskflowToolset,
      { tool: 'x', arguments: {} },
      new AppError('task_not_found', { task_id: 'x' }),
    );
    expect(refused.json).toContain('taskflow_list_tasks');
  });
});
