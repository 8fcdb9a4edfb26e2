import { setTimeout as delay } from 'node:timers/promises';
import type { Reach } from '../egress/host-gate.js';

/** Milliseconds after which a change of a project holds for its runs. */
const KEPT_MS = 2_000;
/** Least time between two questions for a host that was not listed: somebody may just have allowed it. */
const MISS_MS = 250;

/** Asks for what a run reaches now and then, not for each connection. Without the database the last answer holds. */
export function rememberedReach(first: Reach, load: () => Promise<Reach>): (isMiss: boolean) => Promise<Reach> {
  let known = first;
  let askedAt = performance.now();
  let asking: Promise<Reach> | null = null;
  const age = () => performance.now() - askedAt;
  const ask = async (): Promise<Reach> => {
    await delay(MISS_MS - age());
    try {
      known = await load();
    } catch {
      // what held before goes on
    }
    askedAt = performance.now();
    asking = null;
    return known;
  };
  return (isMiss) => (isMiss || age() >= KEPT_MS ? (asking ??= ask()) : Promise.resolve(known));
}
