import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ToolOutcome } from '../mcp/tool-invoker.js';

/** Marks answers of the tool itself, with their kind; refusals of the server lack it. The status alone is not enough,
 *  because a dialect may report a failure in a result. */
export const OUTCOME_HEADER = 'taskyard-outcome';

export function sendOutcome(reply: FastifyReply, { isError, status, json }: ToolOutcome): string {
  void reply
    .status(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header(OUTCOME_HEADER, isError ? 'refusal' : 'result');
  return json;
}

/** What `sendOutcome` sent; null if the answer is not from a tool. */
export function readOutcome(answer: {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}): ToolOutcome | null {
  const kind = answer.headers[OUTCOME_HEADER];
  return kind === 'result' || kind === 'refusal'
    ? { isError: kind === 'refusal', status: answer.status, json: answer.text }
    : null;
}
