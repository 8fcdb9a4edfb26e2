import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { createSharedDatabase } from './database.js';
import type { RunningServer } from './server.js';

/** It lives as long as the host. */
export interface SharedServer {
  url: string;
  settings: Record<string, string>;
  databaseUrl: string;
}

/** A server in the host process of this worker. */
export const HostedServer = {
  /** Its process, and the server that test files share. */
  async look(): Promise<{ pid: number; shared: SharedServer | null }> {
    return (await ask('look', {})) as { pid: number; shared: SharedServer | null };
  },

  /** @throws Error what the start threw */
  async start(settings: Record<string, string>, databaseUrl: string, isShared = false): Promise<RunningServer> {
    const { url, pid } = (await ask('start', { settings, databaseUrl, isShared })) as { url: string; pid: number };
    return { url, pid, close: async () => void (await ask('stop', { url })) };
  },
};

/** For the first file of this worker that asks. */
export async function startShared(given: Record<string, string>): Promise<SharedServer> {
  const DATA_DIR = path.join(tmpdir(), `taskyard-shared-${process.env.JEST_WORKER_ID}`);
  rmSync(DATA_DIR, { recursive: true, force: true }); // of a host that died
  const settings = { ...given, DATA_DIR };
  const databaseUrl = await createSharedDatabase();
  const { url } = await HostedServer.start(settings, databaseUrl, true);
  return { url, settings, databaseUrl };
}

async function ask(action: string, input: object): Promise<unknown> {
  const socketPath = `${process.env.TEST_SERVER_HOSTS}-${process.env.JEST_WORKER_ID}`;
  const { status, body } = await new Promise<{ status?: number; body: unknown }>((resolve, reject) => {
    request({ socketPath, path: `/${action}`, method: 'POST', agent: false }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .once('error', reject)
      .end(JSON.stringify(input));
  });
  if (status === 200) return body;
  const { error, stack } = body as { error: string; stack: string };
  throw Object.assign(new Error(error), { stack });
}
