import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/mcp-client.js';
import { questionOf, usage, type Answer, type Dialect, type OfferedTool, type Spoken, type StreamEvent } from './dialect.js';

const counts = {
  input_tokens: usage.input, input_tokens_details: { cached_tokens: 0 }, output_tokens: usage.output, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: usage.input + usage.output,
};

/** OpenAI Responses. */
export const responses: Dialect = {
  endpoint: /\/responses$/,
  read: ({ input, tools = [] }) => questionOf((input as Json[]).flatMap(spoken), (tools as Json[]).flatMap(offered)),
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
const response = ({ model }: Json): Json => ({ id: `resp_${randomUUID()}`, object: 'response', created_at: Math.floor(Date.now() / 1000), model });

function spoken(item: Json): Spoken[] {
  if (/_call_output$/.test(item.type as string)) return [{ result: typeof item.output === 'string' ? item.output : JSON.stringify(item.output) }];
  if (item.role !== 'user') return [];
  const content = typeof item.content === 'string' ? [{ text: item.content }] : (item.content as Json[]);
  return content.map(({ text }) => ({ prompt: (text ?? '') as string }));
}

/** Tools of one origin may come as a namespace. */
function offered(tool: Json): OfferedTool[] {
  if (tool.type === 'namespace') return (tool.tools as Json[]).flatMap(offered).map((one) => ({ ...one, schema: { ...one.schema, namespace: tool.name } }));
  return [{ name: (tool.name ?? tool.type) as string, schema: (tool.parameters ?? {}) as Json, isFreeForm: tool.type === 'custom' }];
}

function items({ text, call }: Answer): Json[] {
  const message = { type: 'message', id: `msg_${randomUUID()}`, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
  return [message, ...(call ? [callItem(call)] : [])];
}

function callItem({ id, tool, input }: NonNullable<Answer['call']>): Json {
  const named = { call_id: id, name: tool.name, status: 'completed', ...(tool.schema.namespace && { namespace: tool.schema.namespace as string }) };
  return tool.isFreeForm
    ? { type: 'custom_tool_call', id: `ctc_${randomUUID()}`, ...named, input }
    : { type: 'function_call', id: `fc_${randomUUID()}`, ...named, arguments: JSON.stringify(input) };
}

function itemEvents(item: Json, output_index: number): StreamEvent[] {
  const deltas = item.type === 'message' ? textEvents(item, output_index) : [];
  return [event({ type: 'response.output_item.added', output_index, item: { ...item, ...(item.content && { content: [] }) } }), ...deltas, event({ type: 'response.output_item.done', output_index, item })];
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
