import { once } from 'node:events';
import net from 'node:net';

/** By the origin of a server: what its owner sends, where runs have walls. */
export const owners = new Map();

export const asOwner = (url, headers = {}) => ({ ...owners.get(new URL(url).origin), ...headers });

/** One POST as the bytes that go over the wire, made once and sent often. */
export function postRequest(url, body, headers = {}) {
  const { host, pathname, search } = new URL(url);
  const json = JSON.stringify(body);
  const more = Object.entries(asOwner(url, headers)).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n` +
      'content-type: application/json\r\naccept: application/json, text/event-stream\r\n' +
      more.join('') +
      `content-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
}

export function getRequest(url) {
  const { host, pathname, search } = new URL(url);
  const more = Object.entries(asOwner(url)).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\n${more.join('')}\r\n`,
  );
}

/** One keep-alive connection with one request at a time. Far cheaper than a full HTTP client, so that it does not
 *  take the CPU it measures. */
export class Connection {
  #socket;
  #received = Buffer.alloc(0);
  #waiting = null;

  static async open(url) {
    const { hostname, port } = new URL(url);
    const connection = new Connection(net.connect({ host: hostname, port: Number(port), noDelay: true }));
    await once(connection.#socket, 'connect');
    return connection;
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')));
  }

  /** @returns the body of the answer. @throws where it is no 200 */
  send(request) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close() {
    this.#waiting = null;
    this.#socket.destroy();
  }

  #take(chunk) {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const body = completeBody(head, this.#received.subarray(headEnd + 4));
    if (body === null) return;
    const { resolve, reject } = this.#waiting;
    this.#received = Buffer.alloc(0);
    if (head.startsWith('HTTP/1.1 200')) resolve(body);
    else reject(new Error(`${head.split('\r\n', 1)[0]}: ${body}`));
  }
}

/** The body once it is whole, else null. */
function completeBody(head, received) {
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
  if (length !== undefined) return received.length >= Number(length) ? received : null;
  return received.subarray(-5).equals(LAST_CHUNK) ? unchunked(received) : null;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function unchunked(received) {
  const parts = [];
  for (let at = 0; ;) {
    const lineEnd = received.indexOf('\r\n', at);
    const size = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(received.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
