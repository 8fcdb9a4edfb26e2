import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { RunningServer } from './server.js';

/** A server in the host process of this worker. */
export const HostedServer = {
  /** Of the host. */
  async pid(): Promise<number> {
    return ((await ask('look', {})) as { pid: number }).pid;
  },

  /** @throws Error what the start threw */
  async start(settings: Record<string, string>, databaseUrl: string): Promise<RunningServer> {
    const { url, pid } = (await ask('start', { settings, databaseUrl })) as { url: string; pid: number };
    return { url, pid, close: async () => void (await ask('stop', { url })) };
  },
};

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
