import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** Sends what is answered once all of it is done, however long that takes: the fetch of Node gives up a server that
 *  says nothing for five minutes, and cannot be told otherwise. */
export async function patientFetch(...given: Parameters<typeof fetch>): Promise<Response> {
  const { url, method, headers, body, signal } = new Request(...given);
  const { request } = new URL(url).protocol === 'https:' ? https : http;
  const outgoing = request(url, { method, headers: Object.fromEntries(headers), signal });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  if (body === null) outgoing.end();
  else
    Readable.fromWeb(body)
      .on('error', (error) => outgoing.destroy(error))
      .pipe(outgoing);
  const [answer] = await answered;
  outgoing.on('error', () => undefined); // of a body that was refused before its end
  const { statusCode: status = 0, statusMessage: statusText = '' } = answer;
  const said = { status, statusText, headers: answer.headers as Record<string, string> };
  return new Response(Readable.toWeb(answer) as globalThis.ReadableStream, said);
}
