import type { Json } from '../../support/mcp-client.js';

/** `namespace`: the tools of one origin share it. `type` where it is no plain function: it takes a text, or finds
 *  further
 *  tools. */
export interface OfferedTool {
  name: string;
  schema: Json;
  namespace?: string;
  type?: 'custom' | 'tool_search';
}

/** What an agent asks the model, in whichever API it speaks. */
export interface Question {
  /** What the user said last. */
  prompt: string;
  tools: OfferedTool[];
  /** Of tools since the prompt, oldest first. */
  results: string[];
  /** Number of tool results of the turns before. */
  earlierResults: number;
  /** The form of the answer, where one is wanted. */
  form?: Json;
}

/** `whole`: the request as it came. */
export interface Asked extends Question {
  whole: string;
}
export interface ToolCall {
  id: string;
  tool: OfferedTool;
  input: Json | string;
}
export interface Answer {
  text: string;
  call: ToolCall | null;
}
export interface StreamEvent {
  event?: string;
  data: Json | '[DONE]';
}

/** One API of a model server. */
export interface Dialect {
  endpoint: RegExp;
  read(body: Json): Question;
  whole(answer: Answer, body: Json): Json;
  stream(answer: Answer, body: Json): StreamEvent[];
}

/** What the user's side of a conversation consists of, in order. */
export type Spoken = { prompt: string } | { result: string };

export function questionOf(everything: Spoken[], tools: OfferedTool[], form?: Json): Question {
  const spoken = everything.flatMap((one) => ('result' in one ? [one] : withoutNotes(one.prompt)));
  const at = spoken.findLastIndex((one) => 'prompt' in one);
  const results = spoken.map((one) => ('result' in one ? one.result : null));
  const here = results.slice(at + 1).filter((result) => result !== null);
  const last = spoken[at];
  return {
    prompt: last && 'prompt' in last ? last.prompt : '',
    tools,
    results: here,
    earlierResults: results.filter((result) => result !== null).length - here.length,
    form,
  };
}

/** Agents add notes in tags of their own to what the user said. */
function withoutNotes(text: string): Spoken[] {
  const prompt = text.replace(/<([\w-]+)>[^]*?<\/\1>/g, '').trim();
  return prompt === '' ? [] : [{ prompt }];
}

export const usage = { input: 100, output: 20 };
