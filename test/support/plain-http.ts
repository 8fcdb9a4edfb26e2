import { request } from 'node:http';
import type { Json } from './mcp-client.js';

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** Plain HTTP, because fetch lets nobody set Host or Origin. */
export function call(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
        })
        .on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body: text }));
    });
    sent.on('error', reject).end(body);
  });
}
export const codeOf = ({ body }: Answer) => (JSON.parse(body) as Json).code as string;
