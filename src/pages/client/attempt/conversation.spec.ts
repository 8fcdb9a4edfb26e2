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
