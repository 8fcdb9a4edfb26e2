import type { OutputPump } from './output-pump.js';
import { settledWithin } from './settled-within.js';

/** A grandchild may hold the output open for ever, so reading on after the exit has its limits. */
const afterExit = { quietMs: 1_000, totalMs: 2_000 };
/** With every writer killed, only what is left in the pipes remains, far less than this. */
const afterKill = { quietMs: 100, bytes: 1_048_576 };
const lookMs = 20;

/** Reads until all writers have closed, a limit is reached, or nobody wants more. */
export async function drainAfterExit(pumps: OutputPump[], isUnwanted: () => boolean): Promise<void> {
  const deadline = performance.now() + afterExit.totalMs;
  const goesOn = () => !isUnwanted() && performance.now() < deadline && quietMs(pumps) < afterExit.quietMs;
  await readWhile(pumps, goesOn);
}

/** Reads what is left, however slow the consumer is, then closes. Rejects with what a consumer threw. */
export async function drainAfterKill(pumps: OutputPump[]): Promise<void> {
  const allowed = bytes(pumps) + afterKill.bytes;
  await readWhile(pumps, () => bytes(pumps) < allowed && quietMs(pumps) < afterKill.quietMs);
  pumps.forEach((pump) => pump.close());
  await Promise.all(pumps.map((pump) => pump.done));
}

async function readWhile(pumps: OutputPump[], goesOn: () => boolean): Promise<void> {
  const done = Promise.allSettled(pumps.map((pump) => pump.done));
  while (goesOn() && !(await settledWithin(done, lookMs)));
}

const quietMs = (pumps: OutputPump[]) => Math.min(...pumps.map((pump) => pump.idleMs()));
const bytes = (pumps: OutputPump[]) => pumps.reduce((sum, pump) => sum + pump.bytes, 0);
