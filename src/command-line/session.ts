import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ClientOptions, createClient, type TaskyardClient } from '../client/index.js';
import { commandLineSettings } from '../config/command-line.js';
import { type Credential, Credentials } from './credentials.js';
import { CommandFailure, exits } from './exits.js';

const DEFAULT_URL = 'http://127.0.0.1:8000';
const THIS_MACHINE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Options that every command has. */
export interface CommonOptions {
  server?: string;
  json?: boolean;
}

/** The server that a command speaks to, and how. */
export interface Session {
  server: string;
  client: TaskyardClient;
  /** The server may see the files of this machine. */
  isHere: boolean;
}

/** By `--server`, else TASKYARD_URL, else the server that one is logged in to, else this machine. */
export function serverOf({ server }: CommonOptions): string {
  const { url, folder } = commandLineSettings();
  const chosen = server || url || new Credentials(folder).current() || DEFAULT_URL;
  if (!URL.canParse(chosen) || !/^https?:$/.test(new URL(chosen).protocol))
    throw new CommandFailure(`"${chosen}" is not the address of a server`, exits.usage, 'taskyard --server URL');
  return chosen.replace(/\/+$/, '');
}

export function openSession(options: CommonOptions, more: Pick<ClientOptions, 'fetch'> = {}): Session {
  const server = serverOf(options);
  const isHere = isOnThisMachine(server);
  return { server, client: createClient({ baseUrl: server, token: tokensFor(server), ...more }), isHere };
}

/** Yields a token for each request: TASKYARD_TOKEN, else what a login left, else the one that a server on this machine
 *  made for its owner. Requests that meet an old one wait for one renewal: providers take a refresh token once. */
export function tokensFor(server: string): () => Promise<string> {
  const { token, folder, dataDir } = commandLineSettings();
  let renewal: Promise<string> | null = null;
  return async () => {
    if (token) return token;
    const kept = new Credentials(folder).find(server);
    if (kept === null) return isOnThisMachine(server) ? localToken(dataDir) : '';
    if (!isOver(kept)) return kept.token;
    renewal ??= renewed(server, kept).finally(() => {
      renewal = null;
    });
    return renewal;
  };
}

const isOnThisMachine = (server: string): boolean => THIS_MACHINE.test(new URL(server).hostname);

const isOver = ({ refresh, expires_at = Infinity }: Credential): boolean =>
  refresh !== undefined && expires_at <= Date.now();

async function renewed(server: string, kept: Credential): Promise<string> {
  const { renew } = await import('./sign-in.js');
  return renew(server, kept);
}

function localToken(dataDir: string): string {
  try {
    return readFileSync(path.join(dataDir, 'local-token'), 'utf8').trim();
  } catch {
    return ''; // none was made, or it is not ours to read
  }
}
