import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { answers } from './connection-check.js';
import { EmbeddedPostgresError } from './embedded-error.js';
import { type Postmaster, postmasterFile, readPostmaster } from './postmaster.js';

const pollMs = 50;
const patienceMs = 60_000;

/** The live server of this cluster, after waiting while it starts or stops; undefined when one must be started. */
export async function findLivePostmaster(cluster: string, password: string): Promise<Postmaster | undefined> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const found = readPostmaster(cluster);
    if (!found) return undefined;
    if (!found.identity) return forget(cluster);
    if (found.ready && (await answers(found, password, cluster))) return found;
    if (performance.now() > giveUpAt)
      throw new EmbeddedPostgresError(
        `Process ${found.pid} holds ${cluster} but does not answer: stop it, or set DATABASE_URL.`,
      );
    await delay(pollMs);
  }
}

/** A zombie, or a pid that another program uses now: PostgreSQL would take it for a live server and refuse to start. */
function forget(cluster: string): undefined {
  rmSync(postmasterFile(cluster), { force: true });
  return undefined;
}
