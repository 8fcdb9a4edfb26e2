import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';

/** Headers between two neighbours, which none of them passes on; the host is written anew. */
const HOP_BY_HOP = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host)$/i;

/** Name, value, name, value … of what is passed on. */
export function passedOn({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : []));
  return pairs.filter(([name = '']) => !HOP_BY_HOP.test(name) && !named.includes(name.toLowerCase())).flat();
}

/** A refusal in words that a model can read. */
export function say(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${message}\n`);
}

/** The same to who asked for a tunnel. */
export function sayOn(socket: Socket, status: number, message: string): void {
  const body = `${message}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends a request on and its answer back, as it comes. Whoever leaves ends both.
 *  @param options where to, and with which headers */
export function forward(request: IncomingMessage, response: ServerResponse, options: http.RequestOptions): void {
  const { request: begin } = options.protocol === 'https:' ? https : http;
  const onward = begin({ method: request.method, setHost: false, ...options });
  onward.on('response', (answer) => {
    const { statusCode = 0 } = answer;
    if (statusCode < 200) return void onward.destroy(new Error(`it answered with the status ${statusCode}`));
    response.writeHead(statusCode, passedOn(answer));
    return void pipeline(answer, response, () => undefined);
  });
  onward.on('error', (error) => {
    if (response.headersSent) response.destroy();
    else say(response, 502, `The connection broke: ${error.message}.`);
  });
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
