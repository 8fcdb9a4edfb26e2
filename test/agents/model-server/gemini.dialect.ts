import type { Json } from '../../support/mcp-client.js';
import { questionOf, usage, type Answer, type Dialect, type Spoken } from './dialect.js';

const counts = {
  promptTokenCount: usage.input,
  candidatesTokenCount: usage.output,
  totalTokenCount: usage.input + usage.output,
};

/** Gemini's generateContent, with and without a stream. */
export const gemini: Dialect = {
  endpoint: /:(streamG|g)enerateContent$/,
  read: ({ contents, tools = [], generationConfig = {} }) =>
    questionOf(
      (contents as Json[])
        .filter(({ role }) => role === 'user')
        .flatMap(({ parts }) => (parts as Json[]).flatMap(spoken)),
      (tools as Json[])
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations as Json[])
        .map((one) => ({
          name: one.name as string,
          schema: (one.parametersJsonSchema ?? one.parameters ?? {}) as Json,
        })),
      (generationConfig.responseJsonSchema ?? generationConfig.responseSchema) as Json | undefined,
    ),
  whole: (answer) => piece(answer),
  stream: (answer) => [{ data: piece(answer) }],
};

function spoken({ text, functionResponse }: Json): Spoken[] {
  if (functionResponse) return [{ result: JSON.stringify(functionResponse.response) }];
  return typeof text === 'string' ? [{ prompt: text }] : [];
}

function piece({ text, call }: Answer): Json {
  const parts = [
    { text },
    ...(call ? [{ functionCall: { id: call.id, name: call.tool.name, args: call.input } }] : []),
  ];
  return { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata: counts };
}
