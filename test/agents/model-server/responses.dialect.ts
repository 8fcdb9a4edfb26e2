import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/mcp-client.js';
import {
  questionOf,
  usage,
  type Answer,
  type Dialect,
  type OfferedTool,
  type Spoken,
  type StreamEvent,
  type ToolCall,
} from './dialect.js';

const counts = {
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
};

/** OpenAI Responses. */
export const responses: Dialect = {
  endpoint: /\/responses$/,
  read: ({ input, tools = [] }) =>
    questionOf(
      (input as Json[]).flatMap(spoken),
      [...(tools as Json[]), ...(input as Json[]).flatMap(found)].flatMap(offered),
    ),
  whole: (answer, body) => ({ ...response(body), status: 'completed', output: items(answer), usage: counts }),
  stream: (answer, body) => {
    const started = { ...response(body), status: 'in_progress', output: [] };
    const output = items(answer);
    return [
      event({ type: 'response.created', response: started }),
      ...output.flatMap(itemEvents),
      event({ type: 'response.completed', response: { ...started, status: 'completed', output, usage: counts } }),
    ];
  },
};

const event = (data: Json): StreamEvent => ({ event: data.type as string, data });
const response = ({ model }: Json): Json => ({
  id: `resp_${randomUUID()}`,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  model,
});

function spoken(item: Json): Spoken[] {
  if (/_(call|search)_output$/.test(item.type as string)) return [{ result: textOf(item.output ?? item.tools) }];
  if (item.role !== 'user') return [];
  const content = typeof item.content === 'string' ? [{ text: item.content }] : (item.content as Json[]);
  return content.map(({ text }) => ({ prompt: (text ?? '') as string }));
}

function offered(tool: Json): OfferedTool[] {
  if (tool.type === 'namespace')
    return (tool.tools as Json[]).flatMap(offered).map((one) => ({ ...one, namespace: tool.name as string }));
  const type = tool.type === 'custom' || tool.type === 'tool_search' ? tool.type : undefined;
  return [{ name: (tool.name ?? tool.type) as string, schema: (tool.parameters ?? {}) as Json, type }];
}

/** What was found is offered from then on. */
const found = ({ type, tools }: Json): Json[] => (type === 'tool_search_output' ? (tools as Json[]) : []);

function items({ text, call }: Answer): Json[] {
  const message = {
    type: 'message',
    id: `msg_${randomUUID()}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  return [message, ...(call ? [callItem(call)] : [])];
}

function callItem({ id, tool, input }: ToolCall): Json {
  const call = { call_id: id, status: 'completed' };
  const named = { ...call, name: tool.name, namespace: tool.namespace };
  switch (tool.type) {
    case 'custom':
      return { type: 'custom_tool_call', id: `ctc_${randomUUID()}`, ...named, input };
    case 'tool_search':
      return { type: 'tool_search_call', id: `tsc_${randomUUID()}`, ...call, execution: 'client', arguments: input };
    default:
      return { type: 'function_call', id: `fc_${randomUUID()}`, ...named, arguments: JSON.stringify(input) };
  }
}

const textOf = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output));

function itemEvents(item: Json, output_index: number): StreamEvent[] {
  const deltas = item.type === 'message' ? textEvents(item, output_index) : [];
  return [
    event({
      type: 'response.output_item.added',
      output_index,
      item: { ...item, ...(item.content && { content: [] }) },
    }),
    ...deltas,
    event({ type: 'response.output_item.done', output_index, item }),
  ];
}

function textEvents({ id, content: [part] }: Json, output_index: number): StreamEvent[] {
  const at = { item_id: id as string, output_index, content_index: 0 };
  return [
    event({ type: 'response.content_part.added', ...at, part: { ...part, text: '' } }),
    event({ type: 'response.output_text.delta', ...at, delta: part.text as string }),
    event({ type: 'response.output_text.done', ...at, text: part.text as string }),
    event({ type: 'response.content_part.done', ...at, part }),
  ];
}
