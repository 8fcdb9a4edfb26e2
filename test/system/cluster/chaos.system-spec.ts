import { afterAll, expect, it } from '@jest/globals';
import { chaos } from '../../support/chaos/chaos.js';
import { ServerProcess } from '../../support/server-process.js';

afterAll(() => ServerProcess.endLeft());

/** A short part of `npm run test:chaos`, always the same. */
it('loses nothing and does nothing twice while processes are killed, frozen and cut off', async () => {
  const { schedule, verdict } = await chaos({ seed: 1771, runs: 20, for_ms: 14_000, every_ms: 2_000 });
  expect(schedule.length).toBeGreaterThan(4);
  expect(Object.entries(verdict).filter(([, broken]) => broken.length > 0)).toEqual([]);
}, 300_000);
