import { expect, it } from '@jest/globals';
import type { LogEntry } from '../types.js';
import { Conversation } from './conversation.js';

const entries = (...said: LogEntry['entry'][]): LogEntry[] =>
  said.map((entry, entry_index) => ({ entry_index, entry }) as LogEntry);

it('a message that was torn at a pause is one, whatever came between its parts', () => {
  const conversation = new Conversation();
  conversation.append(
    entries(
      { type: 'assistant_message', content: 'one wh' },
      { type: 'system_message', content: 'a warning' },
      { type: 'assistant_message', content: 'ole sentence', continues: true },
      { type: 'assistant_message', content: 'another' },
    ),
  );
  expect(conversation.items.map(({ content }) => content)).toEqual(['one whole sentence', 'a warning', 'another']);
});

it('the rest of a message whose beginning is not read is shown by itself', () => {
  const conversation = new Conversation();
  conversation.append(entries({ type: 'assistant_message', content: 'ole sentence', continues: true }));
  expect(conversation.items.map(({ content }) => content)).toEqual(['ole sentence']);
});

it('a call has its result, the time that it took, and whether it failed', () => {
  const conversation = new Conversation();
  const call = { type: 'tool_use', content: 'make', tool_call: '1' } as const;
  const result = { type: 'tool_result', content: 'no rule', tool_call: '1', metadata: { exit_code: 2 } } as const;
  conversation.append([
    { entry_index: 0, created_at: '2026-11-21T12:00:00Z', execution_process_id: null, entry: call },
    { entry_index: 1, created_at: '2026-11-21T12:00:03Z', execution_process_id: null, entry: result },
  ]);
  expect(conversation.items).toMatchObject([{ content: 'make', result: 'no rule', took_ms: 3_000, hasFailed: true }]);
});

it('the answer is what was said last, if nobody has asked since', () => {
  const conversation = new Conversation();
  conversation.append(
    entries(
      { type: 'user_message', content: 'do it' },
      { type: 'assistant_message', content: 'Done.' },
      { type: 'token_usage', content: '1 token' },
    ),
  );
  expect(conversation.answer()?.content).toBe('Done.');
  conversation.append(entries({ type: 'user_message', content: 'more' }));
  expect(conversation.answer()).toBeUndefined();
});
