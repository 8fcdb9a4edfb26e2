import { expect, it } from '@jest/globals';
import { chaos, tableOf } from '../support/chaos/chaos.js';

const number = (name: string, otherwise: number): number => Number(process.env[name] || otherwise);
const seed = number('CHAOS_SEED', Math.floor(Math.random() * 2 ** 31));
const plan = { seed, runs: number('CHAOS_RUNS', 200), for_ms: number('CHAOS_SECS', 180) * 1_000, every_ms: 2_000 };

it(`loses nothing and does nothing twice, whatever is harmed (CHAOS_SEED=${seed})`, async () => {
  process.stderr.write(`CHAOS_SEED=${seed}\n`);
  const report = await chaos(plan);
  process.stderr.write(`${tableOf(report, plan)}\n`);
  expect(Object.values(report.verdict).flat()).toEqual([]);
}, 1_800_000); // on a busy machine, too
