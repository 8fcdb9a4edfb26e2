import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/mcp-client.js';
import { questionOf, usage, type Answer, type Dialect, type Spoken, type StreamEvent } from './dialect.js';

const counts = {
  input_tokens: usage.input,
  output_tokens: usage.output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** Anthropic Messages. */
export const anthropic: Dialect = {
  endpoint: /\/v1\/messages$/,
  read: ({ messages, tools = [] }) =>
    questionOf(
      (messages as Json[])
        .filter(({ role }) => role === 'user')
        .flatMap(({ content }) => blocks(content).flatMap(spoken)),
      (tools as Json[]).map((tool) => ({ name: tool.name as string, schema: (tool.input_schema ?? {}) as Json })),
    ),
  whole: (answer, body) => ({ ...message(body), content: content(answer), stop_reason: reason(answer), usage: counts }),
  stream: (answer, body) => [
    event({ type: 'message_start', message: { ...message(body), content: [], usage: counts } }),
    ...content(answer).flatMap(block),
    event({
      type: 'message_delta',
      delta: { stop_reason: reason(answer), stop_sequence: null },
      usage: { output_tokens: usage.output },
    }),
    event({ type: 'message_stop' }),
  ],
};

const blocks = (content: unknown): Json[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Json[]);
const event = (data: Json): StreamEvent => ({ event: data.type as string, data });
const reason = ({ call }: Answer): string => (call ? 'tool_use' : 'end_turn');
const message = ({ model }: Json): Json => ({
  id: `msg_${randomUUID()}`,
  type: 'message',
  role: 'assistant',
  model,
  stop_reason: null,
  stop_sequence: null,
});

function spoken(one: Json): Spoken[] {
  if (one.type === 'tool_result')
    return [
      {
        result: blocks(one.content ?? '')
          .map(({ text }) => text as string)
          .join(''),
      },
    ];
  return one.type === 'text' ? [{ prompt: one.text as string }] : [];
}

function content({ text, call }: Answer): Json[] {
  return [
    { type: 'text', text },
    ...(call ? [{ type: 'tool_use', id: call.id, name: call.tool.name, input: call.input }] : []),
  ];
}

function block(one: Json, index: number): StreamEvent[] {
  const [empty, delta] =
    one.type === 'text'
      ? [
          { type: 'text', text: '' },
          { type: 'text_delta', text: one.text },
        ]
      : [
          { ...one, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(one.input) },
        ];
  return [
    event({ type: 'content_block_start', index, content_block: empty }),
    event({ type: 'content_block_delta', index, delta }),
    event({ type: 'content_block_stop', index }),
  ];
}
