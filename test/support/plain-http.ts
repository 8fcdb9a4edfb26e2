import { request } from 'node:http';
import { connect } from 'node:net';
import { asOwner } from './local-tokens.js';
import type { Json } from './mcp-client.js';

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** Arguments with which Node is another account of the machine, started by root: its program may lie where that account
 *  reads nothing. */
export const AS_NOBODY = ['--import', 'data:text/javascript,process.setgid(65534);process.setuid(65534)'];

/** Plain HTTP, because fetch lets nobody set Host or Origin. */
export function call(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: asOwner(url, headers) }, (answer) => {
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

/** Bytes as they are, because clients tidy up what they send. @returns all that is answered until the end */
export async function sendBytes(url: string, ...lines: string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setEncoding('utf8').write(lines.join('\r\n'), 'latin1');
  let answer = '';
  socket.on('data', (part: string) => (answer += part));
  socket.on('error', () => undefined); // closed before all was sent: what was answered until then counts
  await new Promise((resolve) => socket.once('close', resolve));
  return answer;
}
export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
