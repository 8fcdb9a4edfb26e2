import { describe, expect, it } from '@jest/globals';
import { sampleToolset, WriteNoteTool } from '../../../test/support/sample-toolset.js';
import { type ToolEffect, toolDefinitionOf } from '../tool.js';
import { errorResource } from './guide-resources.js';
import { promptText, serverInstructions } from './loop-guide.js';
import { annotationsOf, entriesOf, toolDescription } from './published-tool.js';

const definition = toolDefinitionOf(WriteNoteTool);
const entries = entriesOf(sampleToolset);

describe('the description of a tool', () => {
  it('has five headings, each on its own line, with computed field lists', () => {
    expect(toolDescription(definition).split('\n')).toEqual([
      'Use when: You have something to keep.',
      'Required: action, exactly one of note_id | book_id; text when action is add or replace',
      'Optional: label',
      'Next: Call list_notes to see it.',
      'Avoid: Giving both note_id and book_id.',
    ]);
  });
});

describe('the annotations of a tool', () => {
  it.each<[ToolEffect, boolean, boolean, boolean, boolean]>([
    ['read', true, false, true, false],
    ['create', false, false, false, false],
    ['update', false, false, true, false],
    ['delete', false, true, true, false],
    ['execute', false, false, false, true],
  ])('follow from the effect %s', (effect, readOnlyHint, destructiveHint, idempotentHint, openWorldHint) => {
    expect(annotationsOf({ ...definition, effect })).toEqual({
      title: 'Write a note',
      readOnlyHint,
      destructiveHint,
      idempotentHint,
      openWorldHint,
    });
  });

  it('take the word of the definition for idempotence', () => {
    expect(annotationsOf({ ...definition, effect: 'execute', idempotent: true }).idempotentHint).toBe(true);
    expect(annotationsOf({ ...definition, effect: 'update', idempotent: false }).idempotentHint).toBe(false);
  });
});

describe('the texts about the loop', () => {
  it('instruct with the introduction, the loop in order and the habits', () => {
    expect(serverInstructions(sampleToolset, entries)).toBe(
      [
        'Keeps notes in books.',
        '',
        'The loop:',
        '- list_notes: when you want to read what was written.',
        '- write_note: when you have something to keep.',
        '',
        'On an error, follow `hint` and `details.next`. Repeat a call only if `retryable` is true.',
        'Pass `request_id` where there is one: a retry then answers the first result.',
        'Wait with `wait_ms` instead of polling.',
      ].join('\n'),
    );
  });

  it('prompt with the given arguments, then the loop', () => {
    const text = (values: Record<string, string>) =>
      sampleToolset.prompts?.map((prompt) => promptText(prompt, values, sampleToolset, entries)).join();
    expect(text({ book_id: 'b1' })).toMatch(/^Keep notes in book b1\.\n\nFollow this loop:\n- list_notes: when /);
    expect(text({ book_id: 'b1', label: 'red' })).toContain('Label them red.');
  });

  it('explain every error code with the tool names of the toolset', () => {
    const errors = errorResource(sampleToolset).text;
    expect(errors).toContain(
      '| file_not_found | 404 | no | The attempt has no file {path}. | ' +
        'Call list_notes for valid paths; they start with the repository name. |',
    );
    expect(errors).not.toContain('{op:');
  });
});
