import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/mcp-client.js';
import { questionOf, usage, type Answer, type Dialect, type Spoken } from './dialect.js';

const counts = {
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
};

/** OpenAI chat completions. */
export const chatCompletions: Dialect = {
  endpoint: /\/chat\/completions$/,
  read: ({ messages, tools = [] }) =>
    questionOf(
      (messages as Json[]).flatMap(spoken),
      (tools as Json[]).map(({ function: one }) => ({
        name: one.name as string,
        schema: (one.parameters ?? {}) as Json,
      })),
    ),
  whole: (answer, body) => ({
    ...completion(body, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text, ...calls(answer) },
        finish_reason: reason(answer),
      },
    ],
    usage: counts,
  }),
  stream: (answer, body) => {
    const chunk = (delta: Json, finish_reason: string | null = null): Json => ({
      ...completion(body, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, finish_reason }],
    });
    return [
      { data: chunk({ role: 'assistant', content: answer.text }) },
      ...(answer.call ? [{ data: chunk(calls(answer)) }] : []),
      { data: { ...chunk({}, reason(answer)), usage: counts } },
      { data: '[DONE]' },
    ];
  },
};

const reason = ({ call }: Answer): string => (call ? 'tool_calls' : 'stop');
const completion = ({ model }: Json, object: string): Json => ({
  id: `chatcmpl-${randomUUID()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
});

function spoken({ role, content }: Json): Spoken[] {
  const texts =
    typeof content === 'string' ? [content] : ((content ?? []) as Json[]).map(({ text }) => (text ?? '') as string);
  if (role === 'tool') return [{ result: texts.join('') }];
  return role === 'user' ? texts.map((prompt) => ({ prompt })) : [];
}

function calls({ call }: Answer): Json {
  return call
    ? {
        tool_calls: [
          {
            index: 0,
            id: call.id,
            type: 'function',
            function: { name: call.tool.name, arguments: JSON.stringify(call.input) },
          },
        ],
      }
    : {};
}
