import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ToolOutcome } from '../mcp/tool-invoker.js';

/** Says that the body comes from the tool, and which it is; refusals of the server around it lack this header.
 *  The status alone is not enough: a dialect may tell of a failure in a result. */
export const OUTCOME_HEADER = 'taskyard-outcome';

export function sendOutcome(reply: FastifyReply, { isError, status, json }: ToolOutcome): string {
  void reply
    .status(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header(OUTCOME_HEADER, isError ? 'refusal' : 'result');
  return json;
}

/** What `sendOutcome` sent; null where the answer is not of a tool. */
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
