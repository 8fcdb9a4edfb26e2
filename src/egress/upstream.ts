import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { hostAndPort } from '../platform/network/host-rule.js';

const CONNECT_MS = 30_000;

export interface Target {
  host: string;
  port: number;
  /** Those that were checked; null leaves the name to the parent proxy. */
  addresses: LookupAddress[] | null;
}

/** How connections leave this machine: to the checked addresses alone, or by the proxy of a company (EGRESS_PROXY). */
export class Upstream {
  private readonly parent: URL | null;
  private readonly login: Record<string, string>;

  /** @param proxy `http(s)://[user:password@]host:port`, or empty */
  constructor(proxy: string) {
    this.parent = proxy === '' ? null : new URL(proxy);
    const { username = '', password = '' } = this.parent ?? {};
    const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.login = username === '' ? {} : { 'proxy-authorization': `Basic ${pair}` };
  }

  get hasParent(): boolean {
    return this.parent !== null;
  }

  /** A connection to the target itself. @throws Error that says in words why there is none */
  async tunnel(target: Target): Promise<Duplex> {
    const socket = await this.dial(target);
    return this.parent === null ? socket : this.connectBy(socket, target);
  }

  /** A request in the clear: an open connection, and how the request begins on it. */
  async plain(target: Target, url: URL): Promise<{ socket: Socket; path: string; headers: Record<string, string> }> {
    const socket = await this.dial(target);
    return this.parent === null
      ? { socket, path: url.pathname + url.search, headers: {} }
      : { socket, path: url.href, headers: this.login };
  }

  private dial({ host, port, addresses }: Target): Promise<Socket> {
    if (this.parent === null) return connected(connect({ host, port, lookup: pinned(addresses ?? []) }), 'connect');
    const { protocol, hostname, port: parentPort } = this.parent;
    const at = hostname.replace(/^\[|\]$/g, '');
    return protocol === 'https:'
      ? connected(connectTls({ host: at, port: Number(parentPort || 443), servername: at }), 'secureConnect')
      : connected(connect({ host: at, port: Number(parentPort || 80) }), 'connect');
  }

  private connectBy(socket: Socket, { host, port }: Target): Promise<Duplex> {
    const path = hostAndPort(host, port);
    const headers = { host: path, ...this.login };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error('the proxy in EGRESS_PROXY is silent')), CONNECT_MS);
      const request = http.request({ method: 'CONNECT', path, headers, createConnection: () => socket });
      request.once('close', () => clearTimeout(timer));
      request.once('error', reject);
      request.once('connect', ({ statusCode }, tunnel, head) => {
        clearTimeout(timer);
        if (statusCode === 200) {
          tunnel.unshift(head);
          return resolve(tunnel);
        }
        tunnel.destroy();
        return reject(new Error(`the proxy in EGRESS_PROXY answered ${statusCode}`));
      });
      request.end();
    });
  }
}

function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error('it does not answer')), CONNECT_MS);
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', reject);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}

/** Answers with these addresses, whatever the name servers say by now. An IP address is not looked up. */
const pinned =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, { all }, answer) => {
    const [first] = addresses;
    if (all) answer(null, addresses);
    else answer(null, first?.address ?? '', first?.family);
  };
