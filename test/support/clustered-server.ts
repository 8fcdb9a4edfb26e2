import path from 'node:path';
import { eventually } from './eventually.js';
import { HostedServer } from './hosted-server.js';
import type { RunningServer } from './server.js';

export const CLUSTER_SECRET = 'shared-by-the-processes-of-one-database';

type Start = (settings: Record<string, string>, databaseUrl: string) => Promise<RunningServer>;

/** A replica that only serves, and two runners behind it: what a test of one server asks is answered by all three.
 *  @param startApi starts the replica */
export async function startClustered(
  settings: Record<string, string>,
  databaseUrl: string,
  startApi: Start,
): Promise<RunningServer> {
  const shared = { ...settings, CLUSTER_SECRET };
  const api = await startApi({ ...shared, ROLE: 'api' }, databaseUrl);
  const runnerOf = (name: string) => ({
    AGENT_API_URL: api.url,
    ...shared,
    ROLE: 'runner',
    DATA_DIR: path.join(settings.DATA_DIR!, name),
  });
  const runners = await Promise.all(['one', 'two'].map((name) => HostedServer.start(runnerOf(name), databaseUrl)));
  await eventually('the runners to be known', () => areKnown(api.url));
  return { ...api, close: () => closeAll([...runners, api]) };
}

async function areKnown(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/runners`);
  const { runners } = (await response.json()) as { runners: { role: string; address: string }[] };
  return runners.filter(({ role, address }) => role === 'runner' && !address.endsWith(':0')).length === 2;
}

async function closeAll(servers: RunningServer[]): Promise<void> {
  for (const server of servers) await server.close();
}
