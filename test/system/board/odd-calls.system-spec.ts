import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toolDefinitionOf } from '../../../src/mcp/tool.js';
import { fieldsOf } from '../../../src/platform/fields/field-node.js';
import { colibriToolset } from '../../../src/toolsets/colibri/colibri.toolset.js';
import { taskflowToolset } from '../../../src/toolsets/taskflow/taskflow.toolset.js';
import { callsOf } from '../../support/call-arbitrary.js';
import { Board } from '../../support/board-fixture.js';
import type { Json } from '../../support/mcp-client.js';

const tools = [taskflowToolset, colibriToolset].flatMap((toolset) =>
  toolset.tools.map(
    (tool) =>
      [toolDefinitionOf(tool).name, toolset.id as 'taskflow' | 'colibri', toolDefinitionOf(tool).input] as const,
  ),
);
const board = Board.use();
let ids: Record<string, string>;
beforeAll(async () => {
  const project_id = await board.bareProject();
  const task_id = await board.task(project_id);
  ids = { project_id, task_id, id: task_id, user_id: 'ada', assignee_handle: '@ada' };
});

describe('calls with odd, missing and strange arguments', () => {
  /** The client of the SDK holds every answer against the output schema, refusals too. */
  it.each(tools)('%s answers or refuses them, and never fails', async (name, dialect, input) => {
    const known = fc
      .subarray(Object.keys(ids).filter((field) => fieldsOf(input).has(field)))
      .map((fields) => Object.fromEntries(fields.map((field) => [field, ids[field]])));
    const calls = fc.sample(
      fc.tuple(callsOf(input), known).map(([call, right]) => ({ ...call, ...right })),
      { numRuns: 30, seed: 20_261_121 },
    );
    const failures: unknown[] = [];
    for (const args of calls) {
      const {
        isError = false,
        structuredContent,
        content,
      } = await board[dialect].sdk.callTool({ name, arguments: args });
      const answer = JSON.stringify(structuredContent);
      if (/internal_error|internal error/.test(answer)) failures.push([args, structuredContent]);
      const refusal = (structuredContent as Json).error as unknown;
      expect([isError, typeof (content as { text: string }[])[0]!.text]).toEqual([
        dialect === 'taskflow' ? refusal === true : refusal !== undefined,
        'string',
      ]);
    }
    expect(failures).toEqual([]);
  });
});
