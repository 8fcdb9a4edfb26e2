import { describe, expect, it } from '@jest/globals';
import { sampleToolset } from '../support/sample-toolset.js';
import { IntField, TextField } from '../../src/platform/fields/fields.js';
import { Modes } from '../../src/platform/fields/mode-rules.js';
import { Tool, type ToolHandler } from '../../src/mcp/tool.js';
import { toolRuleViolations } from '../support/tool-rules.js';

@Modes('action', { on: { require: ['level'] } })
class BadInput {
  @TextField('On or off.', { optional: true }) action?: string;
  @TextField('A task id as free text.', { optional: true }) task_id?: string;
}
class BadOutput {
  @IntField('A number.') value!: number;
}

@Tool({
  name: 'bad_tool',
  title: 'Bad',
  input: BadInput,
  output: BadOutput,
  effect: 'read',
  scope: 'read',
  guide: { useWhen: 'Never.', next: 'nothing', avoid: 'x'.repeat(2100) },
})
class WrongName implements ToolHandler<BadInput, BadOutput> {
  call(): Promise<BadOutput> {
    return Promise.resolve({ value: 1 });
  }
}

describe('the rules for tools', () => {
  it('are kept by a good toolset', () => {
    expect(toolRuleViolations(sampleToolset)).toEqual([]);
  });

  it('name everything that is wrong with a bad one', () => {
    const violations = toolRuleViolations({ ...sampleToolset, tools: [WrongName, WrongName], loop: ['gone'] });
    expect(violations).toEqual(
      expect.arrayContaining([
        'bad_tool: the name is used twice',
        'loop: gone is no tool',
        'bad_tool: the class is WrongName, not BadToolTool',
        'bad_tool: next names no tool of the toolset',
        'bad_tool: the description is longer than 2048 bytes',
        'bad_tool: the rules name level, which is no field',
        'bad_tool: the mode field action must be a required field',
        'bad_tool: the mode table does not list the values of action',
        'bad_tool: flat input: /task_id is not a UUID',
      ]),
    );
  });
});
